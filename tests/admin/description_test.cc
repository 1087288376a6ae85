// SPDX-License-Identifier: Apache-2.0
//
// docs/api.md and openapi.json say what the route table does, and answers are as they say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "l4lb/admin/handle_request.h"
#include "l4lb/admin/openapi.h"
#include "l4lb/admin/routes.h"
#include "tests/admin/fake_control.h"
#include "tests/admin/schema_check.h"

namespace l4lb {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

Json Document() { return Json::parse(OpenApiDocument()); }

std::string NameOf(const Route& route) {
  return absl::StrCat(std::string(route.method), " ", std::string(route.path));
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const Route& route : AllRoutes()) names.push_back(NameOf(route));
  return names;
}

/// The part of docs/api.md under each heading "### `METHOD /path`".
std::map<std::string, std::string> Sections() {
  static const std::regex& heading = *new std::regex("### `([A-Z]+ /.*)`");
  std::ifstream file(L4LB_API_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  std::map<std::string, std::string> sections;
  std::string name;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (line.rfind("### ", 0) == 0 && std::regex_match(line, match, heading)) {
      name = match[1];
      sections[name] = "";
    } else if (!line.empty() && line[0] == '#' && line.rfind("## ", 0) == 0) {
      name.clear();
    } else if (!name.empty()) {
      sections[name] += line + "\n";
    }
  }
  return sections;
}

/// What the operation describes, or null.
Json OperationOf(const Json& document, const Route& route) {
  const Json& paths = document.at("paths");
  const std::string path(route.path);
  const std::string method =
      absl::AsciiStrToLower(absl::string_view(route.method.data(), route.method.size()));
  return paths.contains(path) ? paths[path].value(method, Json()) : Json();
}

/// The schema of the JSON answer with this status; null: there is none.
Json SchemaOf(const Json& operation, const std::string& status) {
  const Json response = operation.at("responses").value(status, Json::object());
  return response.value(Json::json_pointer("/content/application~1json/schema"), Json());
}

TEST(OpenApiTest, HasTheRoutesOfTheTable) {
  const Json document = Document();
  std::vector<std::string> described;
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      described.push_back(absl::StrCat(absl::AsciiStrToUpper(method), " ", path));
    }
  }
  EXPECT_THAT(described, UnorderedElementsAreArray(AllNames()));
}

TEST(OpenApiTest, HasTheParametersAndFieldsOfTheTable) {
  const Json document = Document();
  for (const Route& route : AllRoutes()) {
    const Json operation = OperationOf(document, route);
    EXPECT_EQ(operation["summary"], std::string(route.summary)) << NameOf(route);
    std::vector<std::string> query;
    for (const Json& parameter : operation.value("parameters", Json::array())) {
      const std::string name = parameter["name"];
      if (parameter["in"] == "query") query.push_back(name);
      if (parameter["in"] == "query") continue;
      EXPECT_THAT(NameOf(route), HasSubstr("{" + name + "}"));
    }
    EXPECT_THAT(query, ElementsAreArray(route.parameters)) << NameOf(route);
    std::set<std::string> fields;
    const Json schema = operation.value(
        Json::json_pointer("/requestBody/content/application~1json/schema/$ref"), Json());
    if (schema.is_string()) {
      const std::string pointer = schema.get<std::string>().substr(1);
      const Json properties = document.at(Json::json_pointer(pointer)).at("properties");
      for (const auto& [name, value] : properties.items()) fields.insert(name);
    }
    EXPECT_THAT(fields, UnorderedElementsAreArray(route.fields)) << NameOf(route);
    EXPECT_EQ(operation.contains("security"), route.open) << "open routes need no token";
  }
}

TEST(OpenApiTest, EveryReferenceLeadsSomewhere) {
  const Json document = Document();
  const std::string text(OpenApiDocument());
  const std::regex reference("\"\\$ref\": \"#([^\"]*)\"");
  int found = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), reference), end; it != end; ++it) {
    EXPECT_TRUE(document.contains(Json::json_pointer((*it)[1]))) << (*it)[1];
    ++found;
  }
  EXPECT_GT(found, 50);
}

/// A request that the fake control answers with success.
Request RequestFor(const Route& route) {
  Request request = {.method = std::string(route.method), .peer = "me"};
  request.target = absl::StrReplaceAll(
      absl::string_view(route.path.data(), route.path.size()),
      {{"{pool}", "a%20pool%2F1"}, {"{backend}", "b1"}, {"{listener}", "web"}, {"{id}", "5"}});
  if (request.method == "PATCH") request.body = "{\"weight\": 5}";
  if (NameOf(route) == "POST /v1/pools/{pool}/backends") {
    request.body = "{\"name\": \"b1\", \"address\": \"10.0.0.1:1\"}";
  }
  return request;
}

TEST(OpenApiTest, AnswersAreAsDescribed) {
  const Json document = Document();
  FakeControl control;
  for (const Route& route : AllRoutes()) {
    const Response response = HandleRequest(RequestFor(route), control);
    const Json operation = OperationOf(document, route);
    const std::string status = absl::StrCat(response.status);
    EXPECT_LT(response.status, 300) << NameOf(route) << response.body;
    ASSERT_TRUE(operation["responses"].contains(status)) << NameOf(route) << " " << status;
    const Json schema = SchemaOf(operation, status);
    EXPECT_EQ(schema.is_null(), response.type != "application/json") << NameOf(route);
    if (schema.is_null()) continue;
    EXPECT_THAT(SchemaCheck(document, false).Check(schema, Json::parse(response.body)), IsEmpty())
        << NameOf(route);
  }
}

TEST(OpenApiTest, ErrorsAreAsDescribed) {
  const Json document = Document();
  FakeControl control;
  const Request wrong[] = {{.method = "GET", .target = "/v1/sessions?limit=x"},
                           {.method = "GET", .target = "/v1/nothing"},
                           {.method = "PUT", .target = "/v1/status"}};
  for (const Request& request : wrong) {
    const Json error = Json::parse(HandleRequest(request, control).body);
    EXPECT_THAT(SchemaCheck(document, false).Check({{"$ref", "#/components/schemas/Error"}}, error),
                IsEmpty());
  }
}

TEST(ApiDocumentTest, HasTheRoutesOfTheTable) {
  std::vector<std::string> documented;
  for (const auto& [name, text] : Sections()) documented.push_back(name);
  EXPECT_THAT(documented, UnorderedElementsAreArray(AllNames()));
}

TEST(ApiDocumentTest, EachRouteHasAnExampleAndItsParametersAndFields) {
  const std::map<std::string, std::string> sections = Sections();
  for (const Route& route : AllRoutes()) {
    const auto section = sections.find(NameOf(route));
    ASSERT_NE(section, sections.end()) << NameOf(route);
    EXPECT_THAT(section->second, HasSubstr("$ curl ")) << NameOf(route);
    const std::string method = route.method == "GET" ? "" : " -X " + std::string(route.method);
    EXPECT_THAT(section->second, HasSubstr("curl -s" + method + " ")) << NameOf(route);
    for (std::string_view name : route.parameters) {
      EXPECT_THAT(section->second, HasSubstr("`" + std::string(name) + "`"));
    }
    for (std::string_view name : route.fields) {
      EXPECT_THAT(section->second, HasSubstr("`" + std::string(name) + "`"));
    }
  }
}

TEST(ApiDocumentTest, ExamplesOfAnswersAreAsDescribed) {
  const Json document = Document();
  const std::map<std::string, std::string> sections = Sections();
  int examples = 0;
  for (const Route& route : AllRoutes()) {
    const std::string& text = sections.at(NameOf(route));
    const size_t start = text.find("```json\n");
    if (start == text.npos) continue;
    const size_t end = text.find("```", start + 8);
    const Json example = Json::parse(text.substr(start + 8, end - start - 8));
    const Json operation = OperationOf(document, route);
    Json schema = SchemaOf(operation, "200");
    if (schema.is_null()) schema = SchemaOf(operation, "202");
    EXPECT_THAT(SchemaCheck(document, true).Check(schema, example), IsEmpty()) << NameOf(route);
    ++examples;
  }
  EXPECT_GE(examples, 9);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/handle_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/admin/fake_control.h"

namespace l4lb {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class HandleRequestTest : public ::testing::Test {
 protected:
  Response Ask(std::string method, std::string target, std::string body = "") {
    return HandleRequest({.method = std::move(method),
                          .target = std::move(target),
                          .body = std::move(body),
                          .peer = "me"},
                         control_);
  }

  Json Get(const std::string& target) {
    const Response response = Ask("GET", target);
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.type, "application/json");
    return Json::parse(response.body);
  }

  /// What is wrong, and what would be right.
  void ExpectError(const Response& response, int status, const std::string& what,
                   const std::string& right) {
    EXPECT_EQ(response.status, status) << response.body;
    const Json error = Json::parse(response.body).at("error");
    EXPECT_THAT(error.at("what").get<std::string>(), HasSubstr(what));
    EXPECT_THAT(error.value("right", ""), HasSubstr(right));
    EXPECT_THAT(control_.calls(), IsEmpty());
  }

  FakeControl control_;
};

TEST_F(HandleRequestTest, StatusHasEverythingButBackends) {
  const Json status = Get("/v1/status");
  EXPECT_EQ(status["version"], "1.2.3");
  EXPECT_EQ(status["config"]["path"], "/etc/l4lb/l4lb.yaml");
  EXPECT_EQ(status["listeners"][0]["addresses"][1], "[::1]:80");
  EXPECT_EQ(status["listeners"][0]["sums"]["accepted"], 7);
  EXPECT_EQ(status["pools"][0]["backend_count"], 2);
  EXPECT_FALSE(status["pools"][0].contains("backends"));
  EXPECT_EQ(status["workers"].size(), 2u);
}

TEST_F(HandleRequestTest, NamesOfPathsAreDecoded) {
  const Json pool = Get("/v1/pools/a%20pool%2f1");
  EXPECT_EQ(pool["name"], "a pool/1");
  EXPECT_EQ(pool["table_checksum"], "fedcba9876543210");
  EXPECT_EQ(pool["backends"][0]["overrides"][0], "weight");
  EXPECT_EQ(Get("/v1/pools/a%20pool%2F1/backends/b2/")["name"], "b2") << "and a slash at the end";
  EXPECT_EQ(Get("/v1/pools/a%20pool%2F1/backends").size(), 2u);
  EXPECT_EQ(Get("/v1/listeners/web")["timings"]["duration"]["counts"][3], 7);
}

TEST_F(HandleRequestTest, WhatIsNotThereHasANearestName) {
  ExpectError(Ask("GET", "/v1/pools/a%20pol%2f1"), 404, "no pool \"a pol/1\"", "\"a pool/1\"?");
  ExpectError(Ask("GET", "/v1/listeners/x"), 404, "no listener \"x\"", "there is web");
  ExpectError(Ask("GET", "/v1/pools/a%20pool%2f1/backends/c9"), 404, "no backend \"c9\"", "b1 and");
}

TEST_F(HandleRequestTest, WrongPathsHaveANearestPath) {
  ExpectError(Ask("GET", "/v1/pool"), 404, "no \"/v1/pool\" here", "/v1/pools?");
  ExpectError(Ask("GET", "/status"), 404, "/status", "/v1/status?");
  ExpectError(Ask("GET", "/v1/pools/x/backend"), 404, "", "/v1/pools/x/backends?");
  ExpectError(Ask("GET", "/v1/status//"), 404, "", "");
  ExpectError(Ask("GET", "/nowhere/at/all/like/this"), 404, "", "/ lists the endpoints");
  ExpectError(Ask("GET", "status"), 400, "does not begin with /", "/v1/status");
  ExpectError(Ask("GET", "/v1/pools/%zz"), 400, "percent", "%25");
  ExpectError(Ask("GET", "/v1/pools/a%00b"), 400, "NUL", "");
}

TEST_F(HandleRequestTest, WrongMethodsSayWhichAreRight) {
  const Response response = Ask("PUT", "/v1/pools/p/backends/b");
  ExpectError(response, 405, "PUT is no method of", "GET, HEAD, PATCH, DELETE");
  EXPECT_THAT(response.headers, ElementsAre(Pair("Allow", "GET, HEAD, PATCH, DELETE")));
  ExpectError(Ask("GET", "/v1/reload"), 405, "GET", "POST");
  ExpectError(Ask("get", "/v1/status"), 405, "get", "GET");
  EXPECT_EQ(Ask("HEAD", "/v1/status").status, 200);
}

TEST_F(HandleRequestTest, SessionsHaveAQuery) {
  const Json list =
      Get("/v1/sessions?listener=web&pool=a+pool%2f1&backend=b1&client=%3a%3a1&older_than=10m&"
          "idle_for=1s&sort=idle&limit=7");
  EXPECT_EQ(list["matching"], 5);
  EXPECT_EQ(list["sessions"][0]["id"], "18446744073709551615");
  const SessionQuery query = control_.last_query();
  EXPECT_EQ(query.listener, "web");
  EXPECT_EQ(query.pool, "a pool/1");
  EXPECT_EQ(query.backend, "b1");
  EXPECT_EQ(query.client, "::1");
  EXPECT_EQ(query.older_than_ms, 600'000);
  EXPECT_EQ(query.idle_for_ms, 1'000);
  EXPECT_EQ(query.sort, SessionQuery::Sort::kIdle);
  EXPECT_EQ(query.limit, 7);
  Get("/v1/sessions?client=10.0.0.7");
  EXPECT_EQ(control_.last_query().client, "10.0.0.7");
  EXPECT_EQ(control_.last_query().limit, 100);
}

TEST_F(HandleRequestTest, WrongQueriesSayWhatWouldBeRight) {
  ExpectError(Ask("GET", "/v1/sessions?pol=a"), 400, "unknown parameter \"pol\"", "\"pool\"?");
  ExpectError(Ask("GET", "/v1/sessions?zzzzzzzz=a"), 400, "unknown parameter", "allowed: listener");
  ExpectError(Ask("GET", "/v1/status?x=1"), 400, "unknown parameter \"x\"", "no query");
  ExpectError(Ask("GET", "/v1/sessions?limit=1&limit=2"), 400, "there twice", "once");
  ExpectError(Ask("GET", "/v1/sessions?limit=0"), 400, "out of range", "1 to 10000");
  ExpectError(Ask("GET", "/v1/sessions?limit=x"), 400, "not a whole number", "1 to 10000");
  ExpectError(Ask("GET", "/v1/sessions?older_than=10min"), 400, "not a duration", "10m");
  ExpectError(Ask("GET", "/v1/sessions?idle_for=5"), 400, "not a duration", "5s");
  ExpectError(Ask("GET", "/v1/sessions?sort=agge"), 400, "is no order", "\"age\"?");
  ExpectError(Ask("GET", "/v1/sessions?client=x"), 400, "not an IP address", "10.0.0.7");
  ExpectError(Ask("GET", "/v1/sessions?pool="), 400, "is empty", "");
}

TEST_F(HandleRequestTest, ChangesABackend) {
  const Response response = Ask("PATCH", "/v1/pools/a%20pool%2f1/backends/b1",
                                R"({"state": "drain", "weight": 5, "max_connections": 0})");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json::parse(response.body)["name"], "b1");
  EXPECT_THAT(
      control_.calls(),
      ElementsAre("ChangeBackend a pool/1 b1 state=drain weight=5 max_connections=0 by me"));
}

TEST_F(HandleRequestTest, WrongBodiesChangeNothing) {
  const auto patch = [&](const std::string& body) {
    return Ask("PATCH", "/v1/pools/a%20pool%2f1/backends/b1", body);
  };
  ExpectError(patch(""), 400, "nothing to change", "{\"state\": \"drain\"}");
  ExpectError(patch("{}"), 400, "nothing to change", "");
  ExpectError(patch("{\"weight\": 5"), 400, "not JSON: parse error at line 1", "JSON object");
  ExpectError(patch("[]"), 400, "is a list", "object");
  ExpectError(patch("5"), 400, "single value", "object");
  ExpectError(patch("{\"wieght\": 5}"), 400, "unknown field \"wieght\"", "\"weight\"?");
  ExpectError(patch("{\"zzz\": 5}"), 400, "unknown field", "allowed: state, weight and max_");
  ExpectError(patch("{\"weight\": \"5\"}"), 400, "not a whole number", "0 to 1000");
  ExpectError(patch("{\"weight\": 5.5}"), 400, "not a whole number", "0 to 1000");
  ExpectError(patch("{\"weight\": true}"), 400, "not a whole number", "0 to 1000");
  ExpectError(patch("{\"weight\": null}"), 400, "not a whole number", "0 to 1000");
  ExpectError(patch("{\"weight\": -1}"), 400, "out of range", "0 to 1000");
  ExpectError(patch("{\"weight\": 99999999999999999999999}"), 400, "not a whole", "0 to 1000");
  ExpectError(patch("{\"weight\": 1e999}"), 400, "not JSON", "");
  ExpectError(patch("{\"weight\": 1, \"weight\": 2}"), 400, "there twice", "once");
  ExpectError(patch("{\"weight\": {\"a\": 1}}"), 400, "is an object", "plain value");
  ExpectError(patch("{\"weight\": [1]}"), 400, "is a list", "plain value");
  ExpectError(patch("{\"state\": \"dran\"}"), 400, "state: \"dran\" is unknown", "\"drain\"?");
  ExpectError(patch("{\"state\": 1}"), 400, "not a text in quotes", "ready, drain, down");
  ExpectError(patch(std::string(60'000, '[')), 400, "is a list", "");
  ExpectError(patch("{\"weight\":" + std::string(60'000, '[')), 400, "is a list", "");
  ExpectError(patch("{\"\xff\": 5}"), 400, "not JSON", "");
}

TEST_F(HandleRequestTest, AnErrorNamesItsField) {
  const Response response =
      Ask("PATCH", "/v1/pools/a%20pool%2f1/backends/b1", "{\"max_connections\": -5}");
  EXPECT_EQ(Json::parse(response.body)["error"]["field"], "max_connections");
}

TEST_F(HandleRequestTest, AddsABackend) {
  const Response response = Ask("POST", "/v1/pools/a%20pool%2f1/backends",
                                R"({"name": "b2", "address": "10.0.0.9:1", "weight": 2})");
  EXPECT_EQ(response.status, 201) << response.body;
  EXPECT_THAT(response.headers,
              ElementsAre(Pair("Location", "/v1/pools/a%20pool%2F1/backends/b2")));
  EXPECT_THAT(control_.calls(), ElementsAre("AddBackend a pool/1 name=b2 address=10.0.0.9:1 "
                                            "state=ready weight=2 max_connections=0 by me"));
}

TEST_F(HandleRequestTest, ANewBackendNeedsAnAddress) {
  const std::string path = "/v1/pools/a%20pool%2f1/backends";
  ExpectError(Ask("POST", path, "{\"name\": \"x\"}"), 400, "needs an address", "10.0.0.1:5432");
  ExpectError(Ask("POST", path, "{\"address\": \"10.0.0.1\"}"), 400, "address:", "");
  ExpectError(Ask("POST", path, "{\"address\": \"10.0.0.1:0\"}"), 400, "1 to 65535", "");
  ExpectError(Ask("POST", path, "{\"address\": \"a:1\", \"name\": \"\"}"), 400, "is empty", "");
}

TEST_F(HandleRequestTest, TheOtherChanges) {
  const std::string backend = "/v1/pools/a%20pool%2f1/backends/b1";
  EXPECT_EQ(Ask("DELETE", backend).status, 204);
  EXPECT_EQ(Json::parse(Ask("POST", backend + "/close").body)["closing"], 3);
  EXPECT_EQ(Json::parse(Ask("POST", backend + "/drain").body)["name"], "b1");
  EXPECT_EQ(Ask("POST", backend + "/undrain", "{}").status, 200);
  EXPECT_EQ(Json::parse(Ask("POST", "/v1/pools/p/rebalance").body)["closing"], 3);
  EXPECT_EQ(Json::parse(Ask("POST", "/v1/listeners/web/drain").body)["name"], "web");
  EXPECT_EQ(Ask("POST", "/v1/listeners/web/undrain").status, 200);
  EXPECT_EQ(Ask("DELETE", "/v1/sessions/18446744073709551615").status, 204);
  EXPECT_EQ(Json::parse(Ask("POST", "/v1/reload").body)["changes"][0], "pool a: + backend b3");
  EXPECT_EQ(Ask("POST", "/v1/drain").status, 202);
  EXPECT_THAT(
      control_.calls(),
      ElementsAre("RemoveBackend a pool/1 b1 by me", "CloseSessionsOf a pool/1 b1 by me",
                  "DrainBackend a pool/1 b1 by me", "UndrainBackend a pool/1 b1 by me",
                  "Rebalance p by me", "DrainListener web by me", "UndrainListener web by me",
                  "CloseSession 18446744073709551615 by me", "Reload by me", "DrainProcess by me"));
}

TEST_F(HandleRequestTest, ChangesWithoutFieldsTakeNone) {
  ExpectError(Ask("POST", "/v1/drain", "{\"now\": true}"), 400, "unknown field \"now\"", "no body");
  ExpectError(Ask("DELETE", "/v1/sessions/abc"), 400, "is no id", "whole number");
  ExpectError(Ask("DELETE", "/v1/sessions/-1"), 400, "is no id", "whole number");
}

TEST_F(HandleRequestTest, CodesOfControlBecomeStatusCodes) {
  const std::pair<absl::StatusCode, int> kCodes[] = {
      {absl::StatusCode::kNotFound, 404},          {absl::StatusCode::kInvalidArgument, 400},
      {absl::StatusCode::kAlreadyExists, 409},     {absl::StatusCode::kFailedPrecondition, 409},
      {absl::StatusCode::kResourceExhausted, 409}, {absl::StatusCode::kUnavailable, 503},
      {absl::StatusCode::kDeadlineExceeded, 504},  {absl::StatusCode::kInternal, 500},
      {absl::StatusCode::kUnimplemented, 501}};
  for (const auto& [code, status] : kCodes) {
    control_.failure = absl::Status(code, "because");
    const Response response = Ask("POST", "/v1/reload");
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(Json::parse(response.body)["error"]["what"], "because");
  }
}

TEST_F(HandleRequestTest, Texts) {
  EXPECT_EQ(Ask("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(Ask("GET", "/readyz").status, 200);
  control_.is_ready = false;
  EXPECT_EQ(Ask("GET", "/readyz").status, 503);
  EXPECT_EQ(Ask("GET", "/v1/config").body, "workers: 2\n");
  EXPECT_THAT(Ask("GET", "/").body, HasSubstr("/v1/pools/{pool}/rebalance"));
  EXPECT_THAT(Ask("GET", "/metrics").body, HasSubstr("# TYPE l4lb_"));
}

TEST(TraitsOfTest, ProbesAreOpenAndDirect) {
  const auto traits = [](const char* target) {
    return TraitsOf({.method = "GET", .target = target});
  };
  EXPECT_TRUE(traits("/healthz").open);
  EXPECT_TRUE(traits("/readyz").direct);
  EXPECT_FALSE(traits("/metrics").open);
  EXPECT_FALSE(traits("/metrics").direct);
  EXPECT_TRUE(traits("/").direct);
  EXPECT_FALSE(traits("/").open);
  EXPECT_TRUE(traits("/wrong").direct);
  EXPECT_FALSE(traits("/wrong").open);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "tests/admin/request_maker.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "l4lb/admin/access.h"
#include "l4lb/admin/handle_request.h"

namespace l4lb {
namespace {

using Json = nlohmann::json;

/// What is wrong with an answer as such.
std::string CheckShape(const Response& response) {
  if (response.status < 200 || response.status > 599) return "the status is none of HTTP";
  if (response.type.empty() != response.body.empty())
    return "a body without type, or none with one";
  for (const auto& [name, value] : response.headers) {
    if (value.find_first_of("\r\n") != value.npos) return "a header has a line break";
  }
  if (response.type != "application/json") return "";
  const Json json = Json::parse(response.body, nullptr, false);
  if (json.is_discarded()) return "the body is not JSON";
  const bool error = json.is_object() && json.contains("error");
  // /readyz is a text, and 503 there is no error.
  return error == (response.status >= 400) ? "" : "an error without its body, or the other way";
}

std::string CheckMeaning(const Request& request, const Response& response, size_t changes) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads && changes > 0) return "a GET changed something";
  if (response.status >= 400 && changes > 0) return "a refused request changed something";
  if (changes > 1) return "one request, several changes";
  const bool has_allow = std::any_of(response.headers.begin(), response.headers.end(),
                                     [](const auto& header) { return header.first == "Allow"; });
  return has_allow == (response.status == 405) ? "" : "405 and Allow belong together";
}

}  // namespace

uint8_t RequestMaker::Next() {
  if (bytes_.empty()) return 0;
  const auto byte = static_cast<uint8_t>(bytes_[0]);
  bytes_.remove_prefix(1);
  return byte;
}

std::string_view RequestMaker::PickOf(const std::vector<std::string_view>& words) {
  return words[Next() % words.size()];
}

std::string RequestMaker::Raw() {
  const size_t wanted = Next() % 32;  // Before the bytes that are left are counted.
  const size_t size = std::min(wanted, bytes_.size());
  std::string raw(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return raw;
}

std::string RequestMaker::Target() {
  if (Next() % 16 == 0) return Raw();
  std::string target;
  for (int parts = Next() % 8; parts >= 0; --parts) {
    target += '/';
    target += PickOf({"v1",
                      "v1",
                      "pools",
                      "pools",
                      "a%20pool%2F1",
                      "a%20pool%2f1",
                      "backends",
                      "backends",
                      "b1",
                      "b2",
                      "listeners",
                      "web",
                      "sessions",
                      "status",
                      "workers",
                      "config",
                      "drain",
                      "undrain",
                      "close",
                      "rebalance",
                      "reload",
                      "metrics",
                      "healthz",
                      "readyz",
                      "openapi.json",
                      "5",
                      "18446744073709551615",
                      "",
                      "%",
                      "%0",
                      "%00",
                      "%ff",
                      "..",
                      "{pool}"});
    if (Next() % 8 == 0) target += Raw();
  }
  return target + (Next() % 4 == 0 ? Query() : "");
}

std::string RequestMaker::Query() {
  std::string query = "?";
  for (int parts = Next() % 4; parts >= 0; --parts) {
    query += PickOf({"listener", "pool", "backend", "client", "older_than", "idle_for", "sort",
                     "limit", "x", ""});
    query += PickOf({"=", "=", "=", "", "==", "%3d"});
    query += PickOf({"1", "0", "-1", "10m", "1h30m", "age", "bytes", "10.0.0.1", "::1", "web",
                     "a+pool%2F1", "99999999999999999999", "%", "unix", ""});
    if (Next() % 4 == 0) query += Raw();
    query += PickOf({"&", "&", "#", "&&", ";"});
  }
  return query;
}

std::string RequestMaker::Value() {
  if (Next() % 8 == 0) return Raw();
  return std::string(PickOf({"1",
                             "0",
                             "-1",
                             "1000",
                             "1001",
                             "1.5",
                             "1e3",
                             "1e999",
                             "18446744073709551616",
                             "true",
                             "null",
                             "\"drain\"",
                             "\"ready\"",
                             "\"down\"",
                             "\"dran\"",
                             "\"\"",
                             "\"10.0.0.1:80\"",
                             "\"[::1]:1\"",
                             "\"unix:/x\"",
                             "\"\\u0000\"",
                             "\"\\ud800\"",
                             "{}",
                             "[]",
                             "[[",
                             "{\"a\":"}));
}

std::string RequestMaker::Body() {
  if (Next() % 8 == 0) return Raw();
  std::string body(PickOf({"{", "{", "{", "[", " {", "", "{{"}));
  for (int parts = Next() % 4; parts > 0; --parts) {
    body += PickOf({"\"state\":", "\"weight\":", "\"max_connections\":", "\"name\":",
                    "\"address\":", "\"wieght\":", "\"\":", ":", "\"weight\""});
    body += Value();
    if (parts > 1) body += PickOf({",", ",", ",", "", ",,"});
  }
  body += PickOf({"}", "}", "}", "}", "]", "", "}}", "}x"});
  return body;
}

Request RequestMaker::Make() {
  Request request;
  request.method = PickOf({"GET", "GET", "POST", "POST", "PATCH", "PATCH", "DELETE", "HEAD", "PUT",
                           "OPTIONS", "get", ""});
  request.target = Target();
  request.body = Body();
  request.host = PickOf({"localhost", "localhost", "127.0.0.1:9900", "[::1]", "evil.example", ""});
  if (Next() % 8 == 0) request.host = Raw();
  if (Next() % 8 == 0)
    request.origin = PickOf({"http://localhost", "null", "https://x", "http://"});
  if (Next() % 16 == 0) request.authorization = "Bearer " + Raw();
  if (Next() % 16 == 0) request.fetch_site = Raw();
  request.peer = "127.0.0.1:1";
  request.local = Next() % 8 == 0;
  return request;
}

std::string AskAndCheck(const Request& request, FakeControl& control) {
  static const Access& access = *new Access(false);
  const size_t before = control.call_count();
  const RequestTraits traits = TraitsOf(request);
  const std::optional<Response> refused = access.Refuse(request, traits.open);
  const Response response = refused ? *refused : HandleRequest(request, control);
  const std::string shape = CheckShape(response);
  if (!shape.empty()) return shape;
  return CheckMeaning(request, response, control.call_count() - before);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/handle_request.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "l4lb/admin/answers.h"
#include "l4lb/admin/routes.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

bool CheckParameter(const Route& route, const Target& target, size_t index, RequestError* error) {
  const std::string& name = target.query[index].first;
  const auto same = [&](const auto& pair) { return pair.first == name; };
  const auto here = target.query.begin() + static_cast<ptrdiff_t>(index);
  if (std::any_of(target.query.begin(), here, same)) {
    *error = {.what = absl::StrCat("parameter ", Quoted(name), " is there twice"),
              .right = "each parameter once",
              .field = Printable(name)};
    return false;
  }
  if (std::find(route.parameters.begin(), route.parameters.end(), name) != route.parameters.end()) {
    return true;
  }
  std::vector<absl::string_view> known;
  std::vector<std::string> shown;
  for (std::string_view parameter : route.parameters) {
    known.emplace_back(parameter.data(), parameter.size());
    shown.emplace_back(parameter);
  }
  *error = {.what = absl::StrCat("unknown parameter ", Quoted(name)),
            .right = DidYouMean(name, known),
            .field = Printable(name)};
  if (!error->right.empty()) return false;
  error->right =
      shown.empty() ? "no query" : absl::StrCat("allowed: ", JoinNames(shown, "and", shown.size()));
  return false;
}

bool CheckQuery(const Route& route, const Target& target, RequestError* error) {
  for (size_t i = 0; i < target.query.size(); ++i) {
    if (!CheckParameter(route, target, i, error)) return false;
  }
  return true;
}

}  // namespace

Response HandleRequest(const Request& request, Control& control) {
  RequestError error;
  std::string allow;
  Call call = {.caller = {request.peer}};
  if (!ParseTarget(request.target, &call.target, &error)) return ErrorAnswer(error);
  const Route* route = FindRoute(request.method, call.target, &call.names, &error, &allow);
  if (route == nullptr) {
    Response response = ErrorAnswer(error);
    if (!allow.empty()) response.headers.emplace_back("Allow", allow);
    return response;
  }
  if (!CheckQuery(*route, call.target, &error)) return ErrorAnswer(error);
  if (route->changes() && !JsonBody::Parse(request.body, route->fields, &call.body, &error)) {
    return ErrorAnswer(error);
  }
  return route->answer(call, control);
}

RequestTraits TraitsOf(const Request& request) {
  RequestError error;
  std::string allow;
  Call call;
  if (!ParseTarget(request.target, &call.target, &error)) return {};
  const Route* route = FindRoute(request.method, call.target, &call.names, &error, &allow);
  if (route == nullptr) return {};
  return {.direct = route->direct, .open = route->open};
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The one table of what the admin API answers.  handle_request looks requests up here; a test
// compares it with docs/api.md and openapi.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/admin/control.h"
#include "l4lb/admin/json_body.h"
#include "l4lb/admin/request.h"
#include "l4lb/admin/target.h"

namespace l4lb {

/// A request that has been checked as far as the table goes.
struct Call {
  Target target;
  std::vector<std::string> names;  // What stands for the {...} of the path, in order.
  JsonBody body;
  Caller caller;
};

struct Route {
  std::string_view method;  // A "GET" also answers HEAD.
  std::string_view path;    // "/v1/pools/{pool}"
  std::string_view summary;
  Response (*answer)(const Call& call, Control& control);

  std::vector<std::string_view> parameters = {};  // Of the query.
  std::vector<std::string_view> fields = {};      // Of the body.
  /// Needs no token, and never waits for the control thread.
  bool open = false;
  /// Never waits for the control thread.
  bool direct = false;

  bool changes() const { return method != "GET"; }
};

absl::Span<const Route> AllRoutes();

/// Does the path fit?  Then `*names` are what stands for its {...}.
bool Matches(const Route& route, const std::vector<std::string>& segments,
             std::vector<std::string>* names);

/// nullptr: see `error`, and `*allow` (the methods of the path, when there is such a path).
const Route* FindRoute(std::string_view method, const Target& target,
                       std::vector<std::string>* names, RequestError* error, std::string* allow);

}  // namespace l4lb

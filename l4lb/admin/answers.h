// SPDX-License-Identifier: Apache-2.0
//
// The answers that are the same everywhere.  Used by the routes and by access.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "l4lb/admin/request.h"

namespace l4lb {

inline constexpr char kJsonType[] = "application/json";
inline constexpr char kTextType[] = "text/plain; charset=utf-8";

/// {"error": {"what": ..., "right": ..., "field": ...}}; what is empty is left out.
Response ErrorAnswer(const RequestError& error);

/// What `Control` refused; docs/api.md lists which code becomes which status.
Response ErrorAnswer(const absl::Status& status);

Response JsonAnswer(std::string json);
Response TextAnswer(std::string text);

/// Done, and there is nothing to say.
Response EmptyAnswer();

}  // namespace l4lb

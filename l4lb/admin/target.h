// SPDX-License-Identifier: Apache-2.0
//
// The target of a request, taken apart: "/v1/pools/a%2Fb?limit=5".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "l4lb/admin/request.h"

namespace l4lb {

struct Target {
  std::vector<std::string> segments;  // Of the path, decoded.  One slash at the end is dropped.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded, in order; "+" is a space.

  /// The path again, percent-encoded.
  std::string path() const;
};

/// False when an escape is broken, a character is a NUL, or the path does not begin with a slash.
bool ParseTarget(std::string_view text, Target* out, RequestError* error);

/// What may stand in a segment of a path stays; all else is percent-encoded.
std::string PercentEncode(std::string_view text);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Values of health checks that are a small language of their own.  Used by validate_health, and by
// server/ to make a check from the configuration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace l4lb {

/// Two hex digits for each byte, blanks between bytes: "50 49 4e47".  False: `error` says what is
/// wrong and where, and `bytes` is as before.
bool ParseHexBytes(absl::string_view text, std::string* bytes, std::string* error);

/// HTTP statuses, both ends included, with commas between: "200,204,300-399".  False: `error` says
/// what is wrong, and `ranges` is as before.
bool ParseStatusRanges(absl::string_view text, std::vector<std::pair<int, int>>* ranges,
                       std::string* error);

/// Whether RE2 takes `regex` when it reads bytes (its option Latin1).  False: `error` has RE2's
/// reason.
bool CheckRegex(absl::string_view regex, std::string* error);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// JSON as text, whatever its strings hold.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

namespace l4lb::kit {

/// On one line, without a newline.  Strings may come from a command line, which may hold any bytes:
/// those that are no UTF-8 are replaced (by U+FFFD).
std::string Dump(const nlohmann::ordered_json& json);

}  // namespace l4lb::kit

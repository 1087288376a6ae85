// SPDX-License-Identifier: Apache-2.0
//
// What was simulated, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/lab/claims.h"
#include "tools/lab/options.h"
#include "tools/lab/survey.h"

namespace l4lb::lab {

/// All that `simulate` found out.
struct Findings {
  std::vector<Row> rows;
  std::vector<Claim> claims;  // Empty: not asked for.
};

/// "4 backends, 1 of them 3 times slower, 60 % busy: 500 requests/s ...", one to three lines.
/// `says_queue`: where connections wait is the same for all that follows.
std::string WorldText(const World& world, bool says_queue = true);
/// What GrowingMark() means, as a line.
std::string GrowingText(bool ascii);
std::string TableText(const SimulateOptions& options, const Findings& findings);

nlohmann::ordered_json WorldJson(const World& world);
std::string JsonText(const SimulateOptions& options, const Findings& findings);

}  // namespace l4lb::lab

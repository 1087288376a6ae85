// SPDX-License-Identifier: Apache-2.0
//
// What the figures say, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/skew/figures.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

struct Claim {
  std::string claim;
  std::string measured;
  bool holds = false;
};

/// What this tool is there to show, as far as the modes that ran can tell.
std::vector<Claim> ClaimsOf(const Options& options, const std::vector<ModeFigures>& modes);

/// The point in one or two sentences, whatever it is.
std::string Headline(const Options& options, const std::vector<ModeFigures>& modes);

/// "d", "d and e", "the 3 added backends".
std::string AddedNames(const Options& options);

/// "1.4 s", "never".
std::string Seconds(const std::optional<double>& seconds);

}  // namespace l4lb::skew

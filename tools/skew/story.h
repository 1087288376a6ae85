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
  std::optional<bool> holds;  ///< Nothing: the run was too short to tell.
};

/// What this tool is there to show, as far as the modes that ran can tell.
std::vector<Claim> ClaimsOf(const Options& options, const std::vector<ModeFigures>& modes);

/// The point in one or two sentences, whatever it is.
std::string Headline(const Options& options, const std::vector<ModeFigures>& modes);

/// "d", "d and e", "the 3 added backends".
std::string AddedNames(const Options& options);

/// How long it took until the added backends had their share: "1.4 s"; "never", "not yet" when the
/// mode was ended early, "-" when nothing was added.
std::string FairText(const ModeFigures& figures);

}  // namespace l4lb::skew

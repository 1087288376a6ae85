// SPDX-License-Identifier: Apache-2.0
//
// All that a run of the tool found.
#pragma once

#include <string>
#include <vector>

#include "tools/skew/figures.h"
#include "tools/skew/mode_run.h"

namespace l4lb::skew {

struct Outcome {
  std::vector<ModeRun> runs;
  std::vector<ModeFigures> figures;  ///< Of each.
  std::string engine;                ///< Of the balancer; empty when none of its modes ran.
  std::string layer7;                ///< Which proxy; empty when none was there.
  bool interrupted = false;
};

}  // namespace l4lb::skew

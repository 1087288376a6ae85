// SPDX-License-Identifier: Apache-2.0
//
// The page of --html: one file that draws itself and asks the network for nothing.
#pragma once

#include <string>

#include "tools/skew/options.h"
#include "tools/skew/outcome.h"

namespace l4lb::skew {

std::string PageText(const Options& options, const Outcome& outcome);

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
//
// What a run says at its end.
#pragma once

#include <string>

#include "tools/load/options.h"
#include "tools/load/runner.h"

namespace l4lb::load {

/// For people; several lines, the last one with its newline.
std::string TableText(const Options& options, const Outcome& outcome);

/// For programs: one object on one line.  Its members are docs/reference/load.md's, and stay.
std::string JsonText(const Options& options, const Outcome& outcome);

}  // namespace l4lb::load

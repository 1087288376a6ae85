// SPDX-License-Identifier: Apache-2.0
//
// A run as JSON: what --json prints, and what the page of --html draws.
#pragma once

#include <string>

#include "tools/skew/options.h"
#include "tools/skew/outcome.h"

namespace l4lb::skew {

/// One object on one line.  Its members are docs/reference/skew.md's, and stay.
std::string JsonText(const Options& options, const Outcome& outcome);

/// The same for the page, without a newline: with each connection's requests over time.
std::string PageJson(const Options& options, const Outcome& outcome);

}  // namespace l4lb::skew

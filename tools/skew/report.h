// SPDX-License-Identifier: Apache-2.0
//
// What a run says at its end.
#pragma once

#include <string>
#include <vector>

#include "tools/skew/figures.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

/// For people: tables of at most 100 columns, then a sentence.
std::string TableText(const Options& options, const std::vector<ModeFigures>& modes);

/// For spreadsheets: a line for each mode and backend, RFC 4180 but for the line ends.
std::string CsvText(const Options& options, const std::vector<ModeFigures>& modes);

}  // namespace l4lb::skew

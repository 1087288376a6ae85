// SPDX-License-Identifier: Apache-2.0
//
// The command line of l4lb-skew.
#pragma once

#include <string>
#include <vector>

#include "tools/kit/command_line.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

/// `arguments` without the program's name.
kit::CommandLine<Options> ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace l4lb::skew

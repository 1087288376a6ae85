// SPDX-License-Identifier: Apache-2.0
//
// The command line of l4lb-lookup.
#pragma once

#include <string>
#include <vector>

#include "tools/kit/command_line.h"
#include "tools/lookup/options.h"

namespace l4lb::lookup {

using CommandLine = kit::CommandLine<Options>;

/// `arguments` without the program's name.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace l4lb::lookup

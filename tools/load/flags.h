// SPDX-License-Identifier: Apache-2.0
//
// The command line of l4lb-load.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/kit/command_line.h"
#include "tools/load/options.h"

namespace l4lb::load {

using CommandLine = kit::CommandLine<std::variant<ServeOptions, Options>>;

/// `arguments` without the program's name.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace l4lb::load

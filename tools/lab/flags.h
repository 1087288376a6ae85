// SPDX-License-Identifier: Apache-2.0
//
// The command line of l4lb-lab.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/kit/command_line.h"
#include "tools/lab/options.h"

namespace l4lb::lab {

constexpr const char* kProgram = "l4lb-lab";

using CommandLine = kit::CommandLine<std::variant<SimulateOptions, RunOptions, ServeOptions>>;

/// `arguments` without the program's name.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace l4lb::lab

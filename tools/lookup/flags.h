// SPDX-License-Identifier: Apache-2.0
//
// The command line of l4lb-lookup.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/lookup/options.h"

namespace l4lb::lookup {

struct CommandLine {
  Options options;
  /// When there is nothing to run: the exit status, and the text for stdout (0) or stderr (2).
  std::optional<int> exit_status;
  std::string text;
};

/// `arguments` without the program's name.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);

}  // namespace l4lb::lookup

// SPDX-License-Identifier: Apache-2.0
//
// The text of --help, and its parts that the man page shows too.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace l4lb {

std::string HelpText();

struct Example {
  absl::string_view what;
  absl::string_view command;
};
absl::Span<const Example> Examples();

/// A short configuration file that loads, for documentation.
absl::string_view ExampleFile();

struct ExitStatus {
  int status;
  absl::string_view meaning;
};
absl::Span<const ExitStatus> ExitStatuses();

}  // namespace l4lb

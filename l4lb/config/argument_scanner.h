// SPDX-License-Identifier: Apache-2.0
//
// Checks argv against the known flags before gflags sees it: gflags would end the process at the
// first mistake.  Called by ReadCommandLine().
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace l4lb {

/// What is wrong with a command line; all of it is shown at once.
class FlagErrors {
 public:
  /// `where` is such as "--listen".
  void Add(absl::string_view where, absl::string_view message, absl::string_view hint = "");
  bool empty() const { return lines_.empty(); }
  /// No newline at the end.
  std::string ToString() const;

 private:
  std::vector<std::string> lines_;
};

/// Returns the flags as "--name=value", each known, well formed, with a value and given once.
/// Takes `--name=value`, `--name value`, `-name` for `--name`, and `--no<switch>`.
std::vector<std::string> ScanArguments(const std::vector<absl::string_view>& arguments,
                                       FlagErrors* errors);

}  // namespace l4lb

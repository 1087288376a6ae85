// SPDX-License-Identifier: Apache-2.0
//
// Which programs this machine has, and in which version.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace l4lb::skew {

/// Where programs are looked for: the folders of PATH, then /usr/sbin, where Debian has servers and
/// which is not in the PATH of most users.
std::vector<std::string> ProgramFolders();

/// The path of the first program of this name; empty when none of the folders has it.
std::string FindProgram(const std::string& name, const std::vector<std::string>& folders);

/// The first version number, such as "2.6.12", of the line that the program writes for `flag`.
absl::StatusOr<std::string> VersionOf(const std::string& path, const std::string& flag);

}  // namespace l4lb::skew

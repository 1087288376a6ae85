// SPDX-License-Identifier: Apache-2.0
//
// The tokens of the admin API: read from a file, compared with what a request bears.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace l4lb {

inline constexpr size_t kShortestToken = 16;

/// The file's one line, without white space around it.  An error names the file and says what
/// would be right.  Warns (glog) when everybody on the machine may read the file.
absl::StatusOr<std::string> ReadTokenFile(const std::string& path);

/// Takes a time that depends on the length of `given` alone.  `token` must not be empty.
bool IsToken(std::string_view given, std::string_view token);

}  // namespace l4lb

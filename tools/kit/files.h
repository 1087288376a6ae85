// SPDX-License-Identifier: Apache-2.0
//
// Files that tools write.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace l4lb::kit {

/// Whether WriteFile() can; creates the file when there is none.  For asking before long work.
absl::Status CheckWritable(const std::string& path);

/// Writes `text` to `path`, over what is there.  The error names the path and says why.
absl::Status WriteFile(const std::string& path, const std::string& text);

}  // namespace l4lb::kit

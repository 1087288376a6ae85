// SPDX-License-Identifier: Apache-2.0
//
// The page of --html: one file that draws itself and asks the network for nothing.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace l4lb::kit {

/// What CMake puts into a program: see tool_page in this folder's CMakeLists.txt.
struct PageParts {
  absl::string_view html;  ///< With {{style}}, {{data}} and {{script}} where these go.
  absl::string_view style;
  absl::string_view script;
};

/// The page whose script reads `json_text` from the element with the id `data`.
std::string FillPage(const PageParts& parts, absl::string_view json_text);

/// Whether WriteFile() can; creates the file when there is none.  For asking before long work.
absl::Status CheckWritable(const std::string& path);

/// Writes `text` to `path`, over what is there.  The error names the path and says why.
absl::Status WriteFile(const std::string& path, const std::string& text);

}  // namespace l4lb::kit

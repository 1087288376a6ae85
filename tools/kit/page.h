// SPDX-License-Identifier: Apache-2.0
//
// The page of --html: one file that draws itself and asks the network for nothing.
#pragma once

#include <string>

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

}  // namespace l4lb::kit

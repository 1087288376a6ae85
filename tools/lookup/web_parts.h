// SPDX-License-Identifier: Apache-2.0
//
// The files of web/, which CMake puts into the program (web_parts.cc.in).
#pragma once

#include <string_view>

namespace l4lb::lookup {

/// With {{style}}, {{data}} and {{script}} where these go.
extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace l4lb::lookup

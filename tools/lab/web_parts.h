// SPDX-License-Identifier: Apache-2.0
//
// The page's files, which CMake puts into the program (tool_page).
#pragma once

#include "tools/kit/page.h"

namespace l4lb::lab {

extern const kit::PageParts kPageParts;

}  // namespace l4lb::lab

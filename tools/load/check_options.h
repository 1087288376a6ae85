// SPDX-License-Identifier: Apache-2.0
//
// Which options go together.
#pragma once

#include <string>

#include "tools/load/options.h"

namespace l4lb::load {

/// Half a sentence that says what would be right; empty when nothing is wrong.
std::string WhatIsWrong(const Options& options);
std::string WhatIsWrong(const ServeOptions& options);

}  // namespace l4lb::load

// SPDX-License-Identifier: Apache-2.0
//
// Bars of block characters, an eighth of a character fine; of '#' where only ASCII can be shown.
#pragma once

#include <string>

namespace l4lb::kit {

/// `share` (0 to 1) of `width` characters, filled up with blanks to that width.
std::string Bar(double share, int width, bool ascii);

/// Whether the locale of the environment has no UTF-8.
bool NeedsAscii();

}  // namespace l4lb::kit

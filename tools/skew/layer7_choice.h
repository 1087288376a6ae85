// SPDX-License-Identifier: Apache-2.0
//
// Which proxy of layer 7 is wanted.
#pragma once

#include <cstdint>

namespace l4lb::skew {

enum class Layer7Choice : uint8_t { kAuto, kHaproxy, kNghttpx, kNone };

}  // namespace l4lb::skew

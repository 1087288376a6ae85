// SPDX-License-Identifier: Apache-2.0
//
// What backends are called.
#pragma once

#include <string>

namespace l4lb::skew {

/// "a" to "z", then "b27" and so on.
inline std::string BackendName(int index) {
  if (index < 26) return std::string(1, static_cast<char>('a' + index));
  return "b" + std::to_string(index + 1);
}

}  // namespace l4lb::skew

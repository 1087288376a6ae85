// SPDX-License-Identifier: Apache-2.0
//
// An MD5 as it is usually written.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "ring/md5.h"

namespace ring {

inline std::string Md5Text(std::string_view bytes) {
  std::string text;
  for (const uint32_t word : Md5(bytes)) {
    for (int i = 0; i < 4; ++i) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x", (word >> (8 * i)) & 0xff);
      text += digits;
    }
  }
  return text;
}

}  // namespace ring

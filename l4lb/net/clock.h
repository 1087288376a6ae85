// SPDX-License-Identifier: Apache-2.0
//
// Monotonic time, replaceable in tests.
#pragma once

#include <time.h>

#include <cstdint>

namespace l4lb {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds since an arbitrary point; never goes back.
  virtual int64_t NowMs() const = 0;

  static const Clock& Real();
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/clock.h"

namespace l4lb {
namespace {

class MonotonicClock : public Clock {
 public:
  int64_t NowMs() const override {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  }
};

}  // namespace

const Clock& Clock::Real() {
  static const MonotonicClock clock;
  return clock;
}

}  // namespace l4lb

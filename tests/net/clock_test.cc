// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/clock.h"

#include <gtest/gtest.h>
#include <time.h>

namespace l4lb {
namespace {

int64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

TEST(ClockTest, RealIsMonotonicTimeInMilliseconds) {
  const int64_t before = MonotonicMs();
  const int64_t now = Clock::Real().NowMs();
  EXPECT_GE(now, before);
  EXPECT_LE(now, MonotonicMs());
}

TEST(ClockTest, NeverGoesBack) {
  int64_t last = Clock::Real().NowMs();
  for (int i = 0; i < 10'000; ++i) {
    const int64_t now = Clock::Real().NowMs();
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace l4lb

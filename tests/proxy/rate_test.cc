// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/rate.h"

#include <gtest/gtest.h>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

TEST(SharedRateTest, WithoutALimitAllPass) {
  SharedRate rate(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(rate.Take(5));
  EXPECT_EQ(rate.WaitMs(5), 0);
}

TEST(SharedRateTest, ABurstAndThenTheRate) {
  SharedRate rate(100);  // One in 10 ms, ten at once.
  int taken = 0;
  while (rate.Take(1'000)) ++taken;
  EXPECT_EQ(taken, 10);
  EXPECT_EQ(rate.WaitMs(1'000), 10);
  EXPECT_FALSE(rate.Take(1'009));
  EXPECT_TRUE(rate.Take(1'010));
  EXPECT_FALSE(rate.Take(1'010));
}

TEST(SharedRateTest, ASlowRateLetsOnePassAtATime) {
  SharedRate rate(2);
  EXPECT_TRUE(rate.Take(1'000));
  EXPECT_EQ(rate.WaitMs(1'000), 500);
  EXPECT_FALSE(rate.Take(1'499));
  EXPECT_TRUE(rate.Take(1'500));
}

TEST(SharedRateTest, WhatIsNotUsedIsNotSaved) {
  SharedRate rate(100);
  ASSERT_TRUE(rate.Take(0));
  int taken = 0;
  while (rate.Take(3'600'000)) ++taken;
  EXPECT_EQ(taken, 10);
}

// Over any stretch at most the burst and what is due in it; and with steady demand no less.
TEST(SharedRateTest, HoldsOverLongTimes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const int64_t per_second = dice.Between(1, 5'000);
    SharedRate rate(per_second);
    int64_t now_ms = 1'000'000;
    int64_t taken = 0;
    const int64_t end_ms = now_ms + 20'000;
    while (now_ms < end_ms) {
      while (rate.Take(now_ms)) ++taken;
      const int64_t wait_ms = rate.WaitMs(now_ms);
      ASSERT_GT(wait_ms, 0);
      now_ms += std::max<int64_t>(dice.Chance(0.5) ? wait_ms : dice.Between(1, 50), 1);
    }
    EXPECT_LE(taken, 20 * per_second + per_second / 10 + 2) << "seed " << seed;
    EXPECT_GE(taken, 20 * per_second * 9 / 10 - 2) << "seed " << seed;
  }
}

}  // namespace
}  // namespace l4lb

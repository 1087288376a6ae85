// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/encounters.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/backend/pool_fixture.h"

namespace l4lb {
namespace {

TEST(StreakTest, TheLimitthFailureInARowIsTold) {
  Streak streak;
  const StreakRule rule{.limit = 3, .window_ms = 1'000};
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(streak.Add(100, rule));
    EXPECT_FALSE(streak.Add(100, rule));
    EXPECT_TRUE(streak.Add(100, rule)) << "round " << round;
  }
}

TEST(StreakTest, ASuccessEndsIt) {
  Streak streak;
  const StreakRule rule{.limit = 2, .window_ms = 1'000};
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(streak.Add(i, rule));
    streak.End();
  }
}

// One error every 5 s, a window of 8 s, a limit of 3.
TEST(StreakTest, RareFailuresAreNoStreak) {
  Streak streak;
  for (int64_t now_ms = 0; now_ms < 600'000; now_ms += 5'000) {
    EXPECT_FALSE(streak.Add(now_ms, {.limit = 3, .window_ms = 8'000})) << now_ms;
  }
}

TEST(StreakTest, WithoutALimitThereIsNone) {
  Streak streak;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(streak.Add(0, {.limit = 0}));
}

TEST(EncountersTest, EachKindOfFailureHasItsOwnSuccess) {
  const StreakRule rule{.limit = 2, .window_ms = 1'000};
  Encounters accepts_and_resets;
  accepts_and_resets.Connected(0);
  EXPECT_FALSE(accepts_and_resets.ResetEarly(0, rule));
  accepts_and_resets.Connected(0);
  EXPECT_TRUE(accepts_and_resets.ResetEarly(1, rule));
  Encounters silent;  // Whose sessions never get a byte.
  EXPECT_FALSE(silent.Refused(0, rule));
  silent.Connected(7);
  EXPECT_FALSE(silent.Refused(1, rule));
  silent.Answered();
  EXPECT_TRUE(silent.Refused(2, rule)) << "it may have been a session of long ago";
  const Tally tally = silent.tally();
  EXPECT_EQ(tally.sessions, 1u);
  EXPECT_EQ(tally.failures, 3u);
  EXPECT_EQ(tally.connect_ms, 7u);
  EXPECT_EQ(accepts_and_resets.tally().early_resets, 2u);
}

TEST(FailureSinkTest, HearsOfTheFirstFailureAndOfStreaks) {
  auto snapshot = NewSnapshot({{}, {}});
  Pool& pool = *snapshot->pool;
  std::vector<uint64_t> heard;
  pool.SetFailureSink([&heard](uint64_t backend) { heard.push_back(backend); });
  pool.SetStreakRule({.limit = 3, .window_ms = 1'000});
  Backend& a = *snapshot->members[0].backend;
  Backend& b = *snapshot->members[1].backend;
  ASSERT_NE(a.id(), b.id());
  a.CountFailure(0);
  b.CountFailure(0);
  a.CountFailure(0);
  EXPECT_EQ(heard, std::vector<uint64_t>{0});
  a.CountFailure(0);
  EXPECT_EQ(heard, (std::vector<uint64_t>{0, a.id()}));
  pool.AwaitFailure();
  b.CountEarlyReset(0);
  EXPECT_EQ(heard, (std::vector<uint64_t>{0, a.id(), 0}));
}

}  // namespace
}  // namespace l4lb

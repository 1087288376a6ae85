// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/slow_connects.h"

#include <gtest/gtest.h>

#include <vector>

namespace l4lb {
namespace {

std::vector<bool> SlowOf(const std::vector<ConnectTimes>& times) {
  return FindSlowConnects(times).slow;
}

TEST(SlowConnectsTest, ThreeTimesTheMedianAndMore) {
  EXPECT_EQ(SlowOf({{10, 20}, {10, 20}, {10, 200}}), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(SlowOf({{10, 200}, {10, 200}, {10, 650}}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(SlowOf({{10, 200}, {10, 200}, {10, 651}}), (std::vector<bool>{false, false, true}));
}

TEST(SlowConnectsTest, MillisecondsAreNothing) {
  EXPECT_EQ(SlowOf({{100, 0}, {100, 0}, {100, 500}}), (std::vector<bool>{false, false, false}));
}

TEST(SlowConnectsTest, FewConnectionsAreNotJudgedAndDoNotCount) {
  EXPECT_EQ(SlowOf({{10, 20}, {10, 20}, {9, 9'000}}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(SlowOf({{10, 20}, {10, 9'000}}), (std::vector<bool>{false, false}));
  EXPECT_EQ(SlowOf({}), std::vector<bool>{});
}

TEST(SlowConnectsTest, HalfOfThemMayBeSlow) {
  EXPECT_EQ(SlowOf({{10, 20}, {10, 9'000}, {10, 20}, {10, 9'000}}),
            (std::vector<bool>{false, true, false, true}));
}

}  // namespace
}  // namespace l4lb

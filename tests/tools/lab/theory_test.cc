// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/theory.h"

#include <cmath>

#include "gtest/gtest.h"

namespace l4lb::lab {
namespace {

TEST(TheoryTest, OneServer) {
  EXPECT_DOUBLE_EQ(MeanTimeOfOneServer(4, 0.75, 1), 16);  // M/M/1: mean / (1 - load).
  EXPECT_DOUBLE_EQ(MeanTimeOfOneServer(4, 0.75, 0), 10);  // M/D/1: half of the wait.
  EXPECT_DOUBLE_EQ(MeanTimeOfOneServer(4, 0.75, 3), 28);
}

// From the tables of Erlang's C: 10 servers that are offered 7 and 8 Erlang.
TEST(TheoryTest, ErlangC) {
  EXPECT_NEAR(ErlangC(1, 0.7), 0.7, 1e-12);
  EXPECT_NEAR(ErlangC(10, 0.7), 0.2217, 1e-4);
  EXPECT_NEAR(ErlangC(10, 0.8), 0.4092, 1e-4);
  EXPECT_NEAR(MeanTimeOfCentralQueue(4, 1, 0.75), 16, 1e-12);
}

// With one backend there are no turns: M/M/1.
TEST(TheoryTest, Turns) {
  EXPECT_NEAR(BusyOnTurn(1, 0.7), 0.7, 1e-9);
  EXPECT_LT(BusyOnTurn(4, 0.7), 0.7);
  // Of very many backends each sees constant gaps: D/M/1.
  const double busy = BusyOnTurn(100'000, 0.7);
  EXPECT_NEAR(busy, std::exp(-(1 - busy) / 0.7), 1e-4);
}

TEST(TheoryTest, TwoChoices) {
  EXPECT_DOUBLE_EQ(ShareWithAtLeast(0, 0.9), 1);
  EXPECT_DOUBLE_EQ(ShareWithAtLeast(1, 0.9), 0.9);
  EXPECT_DOUBLE_EQ(ShareWithAtLeast(3, 0.9), std::pow(0.9, 7));
  EXPECT_NEAR(MeanTimeOfTwoChoices(1, 0.7), 1 + 0.49 + std::pow(0.7, 6) + std::pow(0.7, 14), 1e-4);
}

TEST(TheoryTest, SaysNothingWhereNothingIsKnown) {
  const World equal;
  EXPECT_EQ(ExpectedOf(equal, PolicyKind::kRandom)->name, "M/M/1");
  EXPECT_EQ(ExpectedOf(equal, PolicyKind::kRoundRobin)->name, "E_n/M/1");
  EXPECT_FALSE(ExpectedOf(equal, PolicyKind::kLeastConnections).has_value());
  EXPECT_FALSE(ExpectedOf(equal, PolicyKind::kP2c).has_value());
  // The slow one is sent more than it can do.
  EXPECT_FALSE(ExpectedOf({.slow = 1, .utilisation = 0.6}, PolicyKind::kRandom).has_value());
  EXPECT_FALSE(ExpectedOf({.connections = 10}, PolicyKind::kRandom).has_value());
  EXPECT_FALSE(
      ExpectedOf({.service = Service::kPareto, .shape = 2}, PolicyKind::kRandom).has_value());
}

TEST(TheoryTest, UnequalBackendsAreAMixture) {
  const auto expected =
      ExpectedOf({.slow = 1, .slow_factor = 2, .utilisation = 0.5}, PolicyKind::kRandom);
  ASSERT_TRUE(expected.has_value());
  // 437.5 requests/s: loads 0.4375 and 0.875, means 7.11 and 64 ms.
  EXPECT_NEAR(expected->mean_ms, (3 * 4 / 0.5625 + 8 / 0.125) / 4, 1e-9);
  EXPECT_GT(*expected->p99_ms, 64 * std::log(25));  // The slow quarter's own 96 % quantile.
}

}  // namespace
}  // namespace l4lb::lab

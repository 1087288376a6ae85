// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/closer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/proxy/small_world.h"

namespace l4lb {
namespace {

// A step may come that late.
constexpr int64_t kLateMs = 50;

TEST(CloserTest, ClosesEvenlyInTheLastPart) {
  SmallWorld world({});
  world.Connect(200);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 10'000, .spread_ms = 5'000});
  world.RunFor(11'000);
  EXPECT_EQ(world.EndedBetween(0, start_ms + 5'000), 0);
  for (int64_t at_ms = 5'000; at_ms < 10'000; at_ms += 1'000) {
    EXPECT_NEAR(world.EndedBetween(start_ms + at_ms, start_ms + at_ms + 1'000), 40, 10) << at_ms;
  }
  EXPECT_EQ(world.EndedBetween(0, start_ms + 10'000 + kLateMs), 200);
  EXPECT_EQ(world.Closed(CloseReason::drained), 200u);
}

TEST(CloserTest, TheIdlestGoFirst) {
  SmallWorld world({});
  world.Connect(20);
  std::vector<int> order(20);
  for (int i = 0; i < 20; ++i) order[i] = i * 7 % 20;
  for (const int index : order) {
    world.sessions()[index].client->Send("x");
    world.RunFor(10);
  }
  world.worker().Drain({.timeout_ms = 20'000, .spread_ms = 20'000});
  world.RunFor(21'000);
  for (int i = 1; i < 20; ++i) {
    EXPECT_LT(world.sessions()[order[i - 1]].ended_ms, world.sessions()[order[i]].ended_ms) << i;
  }
}

// It is idlest at the moment of choosing.
TEST(CloserTest, WhoMovesMeanwhileGoesLast) {
  SmallWorld world({});
  world.Connect(10);
  world.worker().Drain({.timeout_ms = 10'000, .spread_ms = 10'000});
  for (int i = 0; i < 95; ++i) {
    if (world.sessions()[0].client != nullptr) world.sessions()[0].client->Send("x");
    world.RunFor(100);
  }
  for (int i = 1; i < 10; ++i) EXPECT_GE(world.sessions()[i].ended_ms, 0) << i;
  EXPECT_EQ(world.sessions()[0].ended_ms, -1);
  world.RunFor(1'000);
  EXPECT_GE(world.sessions()[0].ended_ms, 0);
}

TEST(CloserTest, WithoutASpreadAllEndAtTheEnd) {
  SmallWorld world({});
  world.Connect(50);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 3'000, .reason = CloseReason::shutdown});
  world.RunFor(4'000);
  EXPECT_EQ(world.EndedBetween(start_ms + 3'000, start_ms + 3'000 + kLateMs), 50);
  EXPECT_EQ(world.Closed(CloseReason::shutdown), 50u);
}

TEST(CloserTest, ATimeoutOfZeroClosesAtOnce) {
  SmallWorld world({});
  world.Connect(5);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 0, .spread_ms = 5'000});
  world.RunFor(kLateMs);
  EXPECT_EQ(world.EndedBetween(start_ms, start_ms + kLateMs), 5);
}

TEST(CloserTest, ALoneSessionEndsInTheMiddle) {
  SmallWorld world({});
  world.Connect(1);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 10'000, .spread_ms = 4'000});
  world.RunFor(11'000);
  EXPECT_NEAR(world.sessions()[0].ended_ms, start_ms + 8'000, 250);
}

TEST(CloserTest, OneBackendOnly) {
  SmallWorld world({.backends = 3});
  world.Connect(30);
  world.worker().Drain({.target = {.backend = world.backend(1)},
                        .timeout_ms = 2'000,
                        .spread_ms = 1'000,
                        .reason = CloseReason::backend_down});
  world.RunFor(5'000);
  for (const auto& session : world.sessions()) {
    EXPECT_EQ(session.end != Peer::End::kOpen, session.backend_index == 1);
  }
  EXPECT_EQ(world.Closed(CloseReason::backend_down), 10u);
  EXPECT_EQ(world.backend(1)->active(), 0);
}

TEST(CloserTest, OneListenerOnly) {
  SmallWorld world({});
  world.Connect(4);
  world.worker().Drain({.target = {.listener = 7}, .timeout_ms = 100});
  world.RunFor(1'000);
  EXPECT_EQ(world.counters().closed.Get(), 0u);
  world.worker().Drain({.target = {.listener = 0}, .timeout_ms = 100});
  world.RunFor(1'000);
  EXPECT_EQ(world.counters().closed.Get(), 4u);
}

TEST(CloserTest, CanBeUndone) {
  SmallWorld world({});
  world.Connect(100);
  world.worker().Drain({.timeout_ms = 10'000, .spread_ms = 10'000});
  world.RunFor(5'000);
  world.worker().EndDrain({});
  world.RunFor(10);
  const auto closed = static_cast<double>(world.counters().closed.Get());
  EXPECT_NEAR(closed, 50, 5);
  world.RunFor(20'000);
  EXPECT_EQ(world.counters().closed.Get(), closed);
}

TEST(CloserTest, TheOrderThatEndsFirstStays) {
  SmallWorld world({});
  world.Connect(10);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 5'000});
  world.RunFor(2'000);
  world.worker().Drain({.timeout_ms = 5'000, .reason = CloseReason::shutdown});
  world.RunFor(2'900);
  EXPECT_EQ(world.counters().closed.Get(), 0u);
  world.RunFor(200);
  EXPECT_EQ(world.Closed(CloseReason::drained), 10u);
  EXPECT_EQ(world.EndedBetween(0, start_ms + 5'000 + kLateMs), 10);
}

TEST(CloserTest, AnEarlierOrderReplacesALaterOne) {
  SmallWorld world({});
  world.Connect(10);
  world.worker().Drain({.timeout_ms = 60'000, .spread_ms = 60'000});
  world.RunFor(1'000);
  world.worker().Drain({.timeout_ms = 0, .reason = CloseReason::shutdown});
  world.RunFor(100);
  EXPECT_GE(world.Closed(CloseReason::shutdown), 9u);
  EXPECT_EQ(world.counters().closed.Get(), 10u);
}

TEST(CloserTest, TwoBackendsAndTheProcessAtOnce) {
  SmallWorld world({.backends = 3});
  world.Connect(90);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain(
      {.target = {.backend = world.backend(0)}, .timeout_ms = 4'000, .spread_ms = 2'000});
  world.worker().Drain({.target = {.backend = world.backend(1)},
                        .timeout_ms = 6'000,
                        .spread_ms = 6'000,
                        .reason = CloseReason::backend_down});
  world.worker().Drain(
      {.timeout_ms = 20'000, .spread_ms = 10'000, .reason = CloseReason::shutdown});
  world.RunFor(9'000);
  EXPECT_EQ(world.Closed(CloseReason::drained), 30u);
  EXPECT_EQ(world.Closed(CloseReason::backend_down), 30u);
  EXPECT_EQ(world.EndedBetween(start_ms + 6'000 + kLateMs, start_ms + 10'000), 0);
  world.RunFor(12'000);
  EXPECT_EQ(world.Closed(CloseReason::shutdown), 30u);
  EXPECT_NEAR(world.EndedBetween(start_ms + 10'000, start_ms + 15'000), 15, 2);
}

TEST(CloserTest, WhoEndsByHimselfIsNotReplaced) {
  SmallWorld world({});
  world.Connect(100);
  const int64_t start_ms = world.now_ms();
  world.worker().Drain({.timeout_ms = 10'000, .spread_ms = 10'000});
  world.RunFor(5'000);
  int left = 0;
  for (auto& session : world.sessions()) {
    if (session.client == nullptr || ++left % 2 == 0) continue;
    session.client = nullptr;
    session.backend = nullptr;
  }
  world.RunFor(10);
  EXPECT_NEAR(world.EndedBetween(start_ms + 5'000, start_ms + 5'100), 0, 1);
  world.RunFor(6'000);
  EXPECT_NEAR(world.EndedBetween(start_ms + 5'000, start_ms + 7'500), 12.5, 3);
  EXPECT_NEAR(world.EndedBetween(start_ms + 7'500, start_ms + 10'100), 12.5, 3);
}

TEST(CloserTest, WhoConnectsAtTheEndIsClosed) {
  SmallWorld world({.backends = 1});
  world.DelayConnects(0, 3'000);
  world.Dial();
  world.RunFor(100);
  world.worker().Drain({.target = {.backend = world.backend(0)}, .timeout_ms = 1'000});
  world.RunFor(1'500);
  EXPECT_EQ(world.Closed(CloseReason::drained), 1u);
  EXPECT_EQ(world.backend(0)->active(), 0);
}

TEST(CloserTest, WhoGetsAPlaceAfterTheEndIsClosed) {
  SmallWorld world({.backends = 1, .backend_limit = 1});
  world.Connect();
  world.Dial();
  world.RunFor(10);
  ASSERT_EQ(world.backend(0)->pool().waiting(), 1);
  world.worker().Drain({.target = {.backend = world.backend(0)}, .timeout_ms = 0});
  world.RunFor(1'500);
  EXPECT_EQ(world.Closed(CloseReason::drained), 2u);
  EXPECT_EQ(world.backend(0)->tally().sessions, 1u);
}

TEST(CloserTest, WhoComesAfterTheEndIsClosed) {
  SmallWorld world({.backends = 1});
  world.worker().Drain({.timeout_ms = 0, .reason = CloseReason::shutdown});
  world.RunFor(200);
  world.HandOver();
  world.RunFor(10);
  EXPECT_EQ(world.Closed(CloseReason::shutdown), 1u);
  world.worker().EndDrain({});
  world.HandOver();
  world.RunFor(10);
  EXPECT_EQ(world.counters().closed.Get(), 1u);
}

// A drain that has nothing more to do wakes nobody.
TEST(CloserTest, SleepsOnceItIsDone) {
  SmallWorld world({});
  world.Connect(10);
  world.worker().Drain({.target = {.backend = world.backend(0)}, .timeout_ms = 1'000});
  world.worker().Drain({.target = {.listener = 0}, .timeout_ms = 2'000});
  world.RunFor(10'000);
  EXPECT_EQ(world.counters().closed.Get(), 10u);
  const uint64_t turns = world.turns();
  world.RunFor(600'000);
  EXPECT_LE(world.turns() - turns, 2u);
}

}  // namespace
}  // namespace l4lb

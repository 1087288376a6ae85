// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/turn_heap.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20241121;

// Against an ordered set, from a round on after which 2^64 parts of one have passed.
TEST(TurnHeapTest, IsInOrderOfTimeAndIndex) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (const uint64_t round : {uint64_t{0}, (uint64_t{1} << 32) - 3}) {
    TurnHeap heap;
    std::set<std::pair<Rotation::Time, int>> expected;
    Rotation::Time now = {round, 0};
    const auto soon = [&dice, &now] {
      return Rotation::Time{now.round + dice.Below(2), static_cast<uint32_t>(dice.Below(7)) << 29};
    };
    for (int step = 0; step < 8'000; ++step) {
      ASSERT_EQ(heap.empty(), expected.empty());
      if (step < 100 || heap.empty() || dice.Chance(0.25)) {
        const Rotation::Time time = soon();
        heap.Push(step, time);
        expected.emplace(time, step);
        continue;
      }
      const int index = expected.begin()->second;
      now = expected.begin()->first;
      ASSERT_EQ(heap.earliest(), index);
      expected.erase(expected.begin());
      if (dice.Chance(0.35)) {
        heap.RemoveEarliest();
        continue;
      }
      const Rotation::Time time = {now.round + 1, now.part};
      heap.MoveEarliest(time);
      expected.emplace(time, index);
    }
    EXPECT_GT(now.round, round + 10);
  }
}

}  // namespace
}  // namespace l4lb

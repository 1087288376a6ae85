// SPDX-License-Identifier: Apache-2.0
#include "maglev/turns.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 54;
using Weights = std::vector<uint32_t>;
using Turns = std::vector<uint32_t>;

template <class TakeTurns>
Turns First(size_t count, TakeTurns take_turns) {
  Turns turns;
  take_turns([&](uint32_t node) {
    turns.push_back(node);
    return turns.size() < count;
  });
  return turns;
}

Turns ByStride(const Weights& weights, size_t count) {
  return First(count, [&](auto take) { TakeTurnsByStride(weights, take); });
}

Turns ByQueue(const Weights& weights, size_t count) {
  return First(count, [&](auto take) { TakeTurnsByQueue(weights, take); });
}

// By the definition: all turns of some rounds, sorted.
Turns ByDefinition(const Weights& weights, size_t count) {
  const uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
  std::multimap<std::pair<uint64_t, uint32_t>, uint32_t> turns;
  for (uint32_t node = 0; node < weights.size(); ++node) {
    for (uint64_t k = 0; weights[node] != 0 && k < count; ++k) {
      const uint64_t round = 1 + (k * heaviest + weights[node] - 1) / weights[node];
      turns.insert({{round, node}, node});
    }
  }
  Turns sorted;
  for (const auto& [time, node] : turns) sorted.push_back(node);
  sorted.resize(count);
  return sorted;
}

Weights AnyWeights(l4lb::Dice& dice) {
  Weights weights(dice.Below(12) + 1);
  const uint64_t bound = uint64_t{1} << dice.Below(33);
  for (uint32_t& weight : weights) {
    weight = dice.Chance(0.2) ? 0 : static_cast<uint32_t>(dice.Below(bound));
  }
  weights[dice.Below(weights.size())] = static_cast<uint32_t>(dice.Below(bound)) | 1;
  return weights;
}

TEST(TurnsTest, StrideAndQueueAreTheDefinition) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1000; ++i) {
    const Weights weights = AnyWeights(dice);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    const Turns expected = ByDefinition(weights, 60);
    ASSERT_EQ(ByQueue(weights, 60), expected);
    // A stride over weights of 2^32 would take as many steps.
    if (*std::max_element(weights.begin(), weights.end()) < 100000) {
      ASSERT_EQ(ByStride(weights, 60), expected);
    }
  }
}

TEST(TurnsTest, EverybodyHasTheFirstTurnInTheFirstRound) {
  const Weights weights = {1, 0, 1000000, 3};
  EXPECT_EQ(ByQueue(weights, 6), (Turns{0, 2, 3, 2, 2, 2}));
  EXPECT_EQ(ByStride(weights, 6), (Turns{0, 2, 3, 2, 2, 2}));
}

TEST(TurnsTest, Lopsided) {
  EXPECT_FALSE(AreLopsided({1, 1, 1}));
  EXPECT_FALSE(AreLopsided(Weights(1000, 7)));
  EXPECT_FALSE(AreLopsided({1, 10}));
  Weights weights(1000, 1);
  weights[3] = 1000000;
  EXPECT_TRUE(AreLopsided(weights));
}

TEST(TurnsTest, CommonDivisor) {
  Weights weights = {0, 4, 6};
  DivideByCommonDivisor(absl::MakeSpan(weights));
  EXPECT_EQ(weights, (Weights{0, 2, 3}));
  weights = {5, 0};
  DivideByCommonDivisor(absl::MakeSpan(weights));
  EXPECT_EQ(weights, (Weights{1, 0}));
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/random.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "l4lb/balance/alias_table.h"
#include "l4lb/balance/split_mix.h"
#include "l4lb/balance/weighted_draw.h"
#include "tests/balance/pool_model.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 31;

// The figures of the lab depend on these numbers.
TEST(SplitMix64Test, IsTheOneThatIsPublished) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
  EXPECT_EQ(random.Next(), 4593380528125082431u);
  EXPECT_EQ(random.Next(), 16408922859458223821u);
}

TEST(SplitMix64Test, BelowIsEvenAndInRange) {
  SplitMix64 random(kSeed);
  std::vector<int64_t> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.Below(7));
  EXPECT_LT(ChiSquareExcess(counts, Weights(7, 1)), 4);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.Below(1), 0u);
}

// Without the redraw the lower half of this range would be drawn twice as often as the upper one.
TEST(SplitMix64Test, BelowIsEvenForABoundThatDoesNotDivide) {
  SplitMix64 random(kSeed);
  const uint32_t bound = 3u << 30;
  std::vector<int64_t> thirds(3);
  for (int i = 0; i < 30'000; ++i) ++thirds.at(random.Below(bound) >> 30);
  EXPECT_LT(ChiSquareExcess(thirds, Weights(3, 1)), 4);
}

TEST(AliasTableTest, DrawsByWeight) {
  for (const Weights& weights : {Weights{1}, Weights{1, 2, 4, 8}, Weights{1000, 1, 0, 1},
                                 Weights{0, 0, 3}, Weights{7, 7, 7}, Weights{1, 1, 1, 997, 500}}) {
    const AliasTable table(weights);
    SplitMix64 random(kSeed);
    std::vector<int64_t> counts(weights.size());
    for (int i = 0; i < 100'000; ++i) ++counts.at(static_cast<size_t>(table.Draw(random)));
    EXPECT_LT(ChiSquareExcess(counts, weights), 4);
  }
}

TEST(AliasTableTest, TenThousandWeights) {
  Weights weights(10'000);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = i % 11;
  const AliasTable table(weights);
  SplitMix64 random(kSeed);
  std::vector<int64_t> counts(weights.size());
  for (int i = 0; i < 500'000; ++i) ++counts.at(static_cast<size_t>(table.Draw(random)));
  EXPECT_LT(ChiSquareExcess(counts, weights), 4);
}

// How often each is drawn when `other` must not be, and only some are eligible.
std::vector<int64_t> DrawAnother(const Weights& weights, const PoolModel& pool, int other) {
  WeightedDraw draw(weights, kSeed);
  std::vector<int64_t> counts(weights.size());
  for (int i = 0; i < 50'000; ++i) {
    ++counts.at(static_cast<size_t>(draw.DrawAnother(pool, other)));
  }
  return counts;
}

TEST(WeightedDrawTest, AnotherKeepsTheSharesOfTheOthers) {
  for (const Weights& weights : {Weights{1000, 1, 2, 3}, Weights{2, 1000, 1}, Weights{1, 3, 1000},
                                 Weights{3, 1, 2, 5}, Weights{1, 1, 0, 0, 2}}) {
    for (size_t other = 0; other < weights.size(); ++other) {
      if (weights[other] == 0) continue;
      Weights expected = weights;
      expected[other] = 0;
      const auto counts = DrawAnother(weights, PoolModel(weights.size()), static_cast<int>(other));
      EXPECT_LT(ChiSquareExcess(counts, expected), 4) << "other " << other;
    }
  }
}

TEST(WeightedDrawTest, AnotherAmongTheEligible) {
  for (const Weights& weights : {Weights{50, 1, 2, 3, 1, 9}, Weights{5, 1, 2, 3, 1, 1'000}}) {
    PoolModel pool(weights.size());
    pool.eligible[2] = pool.eligible[5] = false;
    Weights expected = weights;
    expected[0] = expected[2] = expected[5] = 0;
    EXPECT_LT(ChiSquareExcess(DrawAnother(weights, pool, 0), expected), 4);
  }
}

TEST(WeightedDrawTest, ThereIsNoOther) {
  WeightedDraw draw(Weights{0, 4, 0}, kSeed);
  EXPECT_EQ(draw.DrawAnother(PoolModel(3), 1), Policy::kNone);
  PoolModel pool(2);
  pool.eligible[0] = false;
  EXPECT_EQ(WeightedDraw(Weights{1, 1}, kSeed).DrawAnother(pool, 1), Policy::kNone);
}

// Redraws do for one; a scan does for the other.
TEST(RandomTest, SharesAmongTheEligibleAreByWeight) {
  for (const PolicyKind kind : {PolicyKind::kRandom, PolicyKind::kP2c}) {
    for (const size_t ineligible : {3, 95}) {
      Weights weights(100);
      for (size_t i = 0; i < 100; ++i) weights[i] = 1 + i % 5;
      PoolModel pool(100);
      Weights expected = weights;
      for (size_t i = 0; i < ineligible; ++i) pool.eligible[i] = expected[i] = 0;
      const auto policy = MakePolicy(kind, weights, {.seed = kSeed});
      EXPECT_LT(ChiSquareExcess(Shares(Picks(*policy, pool, 30'000), 100), expected), 4);
    }
  }
}

TEST(RandomTest, TheSeedDecides) {
  for (const PolicyKind kind : {PolicyKind::kRandom, PolicyKind::kP2c}) {
    const auto picks = [kind](uint64_t seed) {
      return Picks(*MakePolicy(kind, Weights(50, 1), {.seed = seed}), PoolModel(50), 100);
    };
    EXPECT_EQ(picks(5), picks(5));
    EXPECT_NE(picks(5), picks(6));
  }
}

TEST(P2cTest, OfTwoTheOneWithLessPerWeight) {
  PoolModel pool(2);
  pool.Add(0, 3);
  pool.Add(1, 2);
  P2c policy(Weights{2, 1}, kSeed);
  EXPECT_EQ(Shares(Picks(policy, pool, 100), 2)[0], 100);
  pool.Add(0, 2);
  EXPECT_EQ(Shares(Picks(policy, pool, 100), 2)[1], 100);
}

TEST(P2cTest, TheMostLoadedIsNeverPicked) {
  PoolModel pool(5);
  pool.Add(3, 1);
  P2c policy(Weights(5, 1), kSeed);
  EXPECT_EQ(Shares(Picks(policy, pool, 5'000), 5)[3], 0);
}

// The highest of n counts after n picks: ln n / ln ln n for one choice, ln ln n / ln 2 for two.
TEST(P2cTest, TwoChoicesAreFarMoreEvenThanOne) {
  const auto highest = [](PolicyKind kind) {
    constexpr int kBackends = 10'000;
    const auto policy = MakePolicy(kind, Weights(kBackends, 1), {.seed = kSeed});
    PoolModel pool(kBackends);
    int64_t most = 0;
    for (int i = 0; i < kBackends; ++i) {
      const int index = policy->Pick(pool, 0);
      pool.Add(index, 1);
      most = std::max(most, pool.Active(index));
    }
    return most;
  };
  EXPECT_LE(highest(PolicyKind::kP2c), 4);
  EXPECT_GE(highest(PolicyKind::kRandom), 6);
}

TEST(P2cTest, BoundedWhenOneHasNearlyAllWeightAndFewAreEligible) {
  Weights weights(10'000, 0);
  weights[17] = 1'000;
  weights[9'000] = 1;
  PoolModel pool(weights.size());
  P2c policy(weights, kSeed);
  pool.Add(17, 1'500);  // 1.5 per weight.
  pool.Add(9'000, 1);
  pool.looks = 0;
  EXPECT_EQ(Shares(Picks(policy, pool, 500), weights.size())[9'000], 500);
  EXPECT_EQ(pool.looks, 1'000) << "two draws, no scan";
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/round_robin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/balance/pool_model.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240609;

std::unique_ptr<Policy> Make(const Weights& weights, PolicyStart start = {}) {
  return MakePolicy(PolicyKind::kRoundRobin, weights, start);
}

TEST(RoundRobinTest, EqualWeightsTakeTurns) {
  const auto policy = Make({3, 3, 3});
  EXPECT_EQ(Picks(*policy, PoolModel(3), 7), (std::vector<int>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(RoundRobinTest, WorkersBeginAtDifferentBackends) {
  std::set<int> first;
  for (int worker = 0; worker < 4; ++worker) {
    first.insert(Make({1, 1, 1, 1}, {.index = worker, .count = 4})->Pick(PoolModel(4), 0));
  }
  EXPECT_EQ(first.size(), 4u);
}

TEST(RoundRobinTest, IneligibleNeighbourGivesNobodyADoubleShare) {
  for (const Weights& weights : {Weights{1, 1, 1, 1}, Weights{2, 2, 2, 1}}) {
    const auto policy = Make(weights);
    PoolModel pool(4);
    pool.eligible[1] = false;
    const std::vector<int64_t> shares = Shares(Picks(*policy, pool, 300), 4);
    EXPECT_EQ(shares[1], 0);
    EXPECT_NEAR(static_cast<double>(shares[0]), static_cast<double>(shares[2]), 1);
  }
}

TEST(RoundRobinTest, FiveOneOneIsExactAndSmooth) {
  const auto policy = Make({5, 1, 1});
  const std::vector<int> picks = Picks(*policy, PoolModel(3), 700);
  EXPECT_EQ(Shares(picks, 3), (std::vector<int64_t>{500, 100, 100}));
  EXPECT_LE(LongestRun(picks), 4);
}

TEST(RoundRobinTest, TwoOneInterleaves) {
  const auto policy = Make({2, 1});
  const std::vector<int> picks = Picks(*policy, PoolModel(2), 30);
  EXPECT_EQ(Shares(picks, 2), (std::vector<int64_t>{20, 10}));
  EXPECT_EQ(LongestRun(picks), 2);
  for (size_t i = 0; i + 3 <= picks.size(); ++i) {
    EXPECT_EQ(std::accumulate(picks.begin() + static_cast<int>(i),
                              picks.begin() + static_cast<int>(i) + 3, 0),
              1)
        << "every three picks in a row have the light one once";
  }
}

TEST(RoundRobinTest, CommonFactorDoesNotMakeARoundLonger) {
  for (int worker = 0; worker < 2; ++worker) {
    const PolicyStart start = {.index = worker, .count = 2};
    const auto small = Make({5, 1, 1}, start);
    const auto large = Make({500, 100, 100}, start);
    EXPECT_EQ(Picks(*small, PoolModel(3), 100), Picks(*large, PoolModel(3), 100));
  }
}

TEST(RoundRobinTest, WholeRoundsAreExactForAnyWeightsAndAnyStart) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 25; ++i) {
    const Weights weights = RandomWeights(dice, 1 + dice.Below(12));
    const int workers = static_cast<int>(dice.Between(1, 9));
    const auto policy = Make(
        weights,
        {.index = static_cast<int>(dice.Below(static_cast<uint64_t>(workers))), .count = workers});
    const int64_t round = RoundOf(weights);
    const int64_t sum = std::accumulate(weights.begin(), weights.end(), int64_t{0});
    const std::vector<int64_t> shares =
        Shares(Picks(*policy, PoolModel(weights.size()), 3 * round), weights.size());
    for (size_t j = 0; j < weights.size(); ++j) {
      ASSERT_EQ(shares[j], 3 * round * weights[j] / sum) << "weight " << weights[j];
    }
  }
}

// In every prefix each backend is within one turn of its share, give or take what the other
// weights' own turns shift.
TEST(RoundRobinTest, EveryPrefixIsFair) {
  Dice dice(kSeed + 1);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 30; ++i) {
    const Weights weights = RandomWeights(dice, 2 + dice.Below(20));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto kinds = static_cast<double>(std::set(weights.begin(), weights.end()).size());
    const auto policy = Make(weights);
    const PoolModel pool(weights.size());
    std::vector<int64_t> shares(weights.size());
    for (int64_t pick = 1; pick <= std::min<int64_t>(2 * RoundOf(weights), 3000); ++pick) {
      ++shares[static_cast<size_t>(policy->Pick(pool, 0))];
      for (size_t j = 0; j < weights.size(); ++j) {
        const double due = static_cast<double>(pick) * weights[j] / sum;
        ASSERT_NEAR(static_cast<double>(shares[j]), due, 1.001 + kinds * weights[j] / sum);
      }
    }
  }
}

TEST(RoundRobinTest, WorkersTogetherAreFairAfterAFewPicksEach) {
  for (const Weights& weights : {Weights(8, 1), Weights{4, 1, 1, 1, 1}}) {
    std::vector<int64_t> shares(weights.size());
    for (int worker = 0; worker < 8; ++worker) {
      const auto policy = Make(weights, {.index = worker, .count = 8});
      const auto own = Shares(Picks(*policy, PoolModel(weights.size()), 3), weights.size());
      for (size_t j = 0; j < weights.size(); ++j) shares[j] += own[j];
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (size_t j = 0; j < weights.size(); ++j) {
      EXPECT_NEAR(static_cast<double>(shares[j]), 24 * weights[j] / sum, 0.001) << j;
    }
  }
}

// A retry of a session that has tried a backend must not cost that backend its share.
TEST(RoundRobinTest, ShortAbsenceKeepsTheTurn) {
  Dice dice(kSeed + 4);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const auto policy = Make({3, 2, 1});
  PoolModel pool(3);
  std::vector<int64_t> shares(3);
  for (int pick = 0; pick < 6'000; ++pick) {
    pool.eligible[2] = dice.Chance(0.5);
    ++shares[static_cast<size_t>(policy->Pick(pool, 0))];
  }
  // A turn that is served late is gone only if the next one comes before.
  EXPECT_NEAR(static_cast<double>(shares[2]), 1'000, 60);
  EXPECT_NEAR(static_cast<double>(shares[1]), 2'000, 40);
}

TEST(RoundRobinTest, TheOnlyOneThatIsBackIsFoundAtOnce) {
  for (const uint32_t other : {1u, 2u}) {
    Weights weights(100, 1);
    weights[0] = other;
    const auto policy = Make(weights);
    PoolModel pool(100);
    pool.eligible.assign(100, false);
    for (int back : {77, 3, 99}) {
      ASSERT_EQ(policy->Pick(pool, 0), Policy::kNone);
      pool.eligible[static_cast<size_t>(back)] = true;
      ASSERT_EQ(policy->Pick(pool, 0), back);
      pool.eligible[static_cast<size_t>(back)] = false;
    }
  }
}

TEST(RoundRobinTest, NoBurstAfterALongAbsence) {
  const Weights weights = {5, 5, 4, 1};
  const auto policy = Make(weights);
  PoolModel pool(4);
  pool.eligible[0] = false;
  EXPECT_EQ(Shares(Picks(*policy, pool, 1'000), 4), (std::vector<int64_t>{0, 500, 400, 100}));
  pool.eligible[0] = true;
  const std::vector<int> picks = Picks(*policy, pool, 150);
  EXPECT_LE(LongestRun(picks), 2);
  EXPECT_NEAR(static_cast<double>(Shares(picks, 4)[0]), 50, 1);
}

// Half of a pool comes back at once: the other half goes on being picked in between.
TEST(RoundRobinTest, NoBurstWhenManyComeBack) {
  Weights weights(200, 1);
  for (size_t i = 0; i < 200; ++i) weights[i] = 1 + i % 3;
  const auto policy = Make(weights);
  PoolModel pool(200);
  for (size_t i = 0; i < 100; ++i) pool.eligible[i] = false;
  Picks(*policy, pool, 2'000);
  pool.eligible.assign(200, true);
  Picks(*policy, pool, 10);  // Some of those that came back are found with each pick.
  const std::vector<int64_t> shares = Shares(Picks(*policy, pool, 400), 200);
  const int64_t returned = std::accumulate(shares.begin(), shares.begin() + 100, int64_t{0});
  EXPECT_NEAR(static_cast<double>(returned), 200, 15);
}

// Whatever is eligible when: the pick is eligible, none is missed, and whoever is eligible all the
// time gets at least its share.
TEST(RoundRobinTest, AnyEligibility) {
  Dice dice(kSeed + 2);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 20; ++i) {
    const size_t backends = 1 + dice.Below(30);
    const Weights weights = RandomWeights(dice, backends);
    const auto policy = Make(weights);
    PoolModel pool(backends);
    const double chance = static_cast<double>(dice.Below(11)) / 10;
    const size_t steady = dice.Below(backends);
    int64_t steady_picks = 0;
    constexpr int kPicks = 2'000;
    for (int pick = 0; pick < kPicks; ++pick) {
      for (char& eligible : pool.eligible) {
        if (dice.Chance(0.2)) eligible = dice.Chance(chance);
      }
      pool.eligible[steady] = true;
      const int index = policy->Pick(pool, 0);
      if (index == Policy::kNone) {
        for (size_t j = 0; j < backends; ++j) ASSERT_FALSE(pool.eligible[j] && weights[j] > 0);
        continue;
      }
      ASSERT_TRUE(pool.eligible[static_cast<size_t>(index)]);
      ASSERT_GT(weights[static_cast<size_t>(index)], 0u);
      if (static_cast<size_t>(index) == steady) ++steady_picks;
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto kinds = static_cast<double>(backends);
    ASSERT_GE(static_cast<double>(steady_picks) + 2 + kinds * weights[steady] / sum,
              kPicks * weights[steady] / sum);
  }
}

TEST(RoundRobinTest, LooksAtFewWhileMostAreEligible) {
  for (const bool equal : {true, false}) {
    Weights weights(10'000, 7);
    if (!equal) {
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = 1 + i % 1000;
    }
    const auto policy = Make(weights);
    PoolModel pool(weights.size());
    Picks(*policy, pool, 20'000);
    EXPECT_LE(pool.looks, 20'000);
    // One in ten goes away: each is found out once and then looked at a few times per pick.
    for (size_t i = 0; i < weights.size(); i += 10) pool.eligible[i] = false;
    pool.looks = 0;
    Picks(*policy, pool, 20'000);
    EXPECT_LE(pool.looks, 20'000 * 18);
  }
}

TEST(RoundRobinTest, BoundedWhenOnlyOneOfTenThousandIsEligible) {
  for (const bool equal : {true, false}) {
    Weights weights(10'000, 1);
    if (!equal) weights[0] = 3;
    const auto policy = Make(weights);
    PoolModel pool(weights.size());
    pool.eligible.assign(weights.size(), false);
    pool.eligible[5'000] = true;
    for (int i = 0; i < 100; ++i) {
      pool.looks = 0;
      ASSERT_EQ(policy->Pick(pool, 0), 5'000);
      ASSERT_LE(pool.looks, 2 * 10'000 + 20);
    }
  }
}

TEST(RoundRobinTest, TenThousandWeightsAreExact) {
  Dice dice(kSeed + 3);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  Weights weights;
  for (int i = 0; i < 10'000; ++i) weights.push_back(static_cast<uint32_t>(dice.Between(1, 9)));
  const auto policy = Make(weights, {.index = 1, .count = 3});
  const std::vector<int64_t> shares =
      Shares(Picks(*policy, PoolModel(weights.size()), RoundOf(weights)), weights.size());
  for (size_t i = 0; i < weights.size(); ++i) ASSERT_EQ(shares[i], weights[i]);
}

}  // namespace
}  // namespace l4lb

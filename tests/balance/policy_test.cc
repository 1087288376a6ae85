// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/policy.h"

#include <gtest/gtest.h>

#include "tests/balance/pool_model.h"

namespace l4lb {
namespace {

TEST(PolicyTest, HasTheNameOfTheConfiguration) {
  EXPECT_EQ(Name(PolicyKind::kRoundRobin), "round_robin");
}

TEST(PolicyTest, WeightZeroIsNeverPicked) {
  for (const std::vector<uint32_t>& weights :
       {std::vector<uint32_t>{0, 3, 0, 3}, {0, 5, 0, 1}, {0, 1}, {7, 0}}) {
    const auto policy = MakePolicy(PolicyKind::kRoundRobin, weights, {});
    const PoolModel pool(weights.size());
    const std::vector<int64_t> shares = Shares(Picks(*policy, pool, 120), weights.size());
    int64_t sum = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(shares[i] == 0, weights[i] == 0);
      sum += shares[i];
    }
    EXPECT_EQ(sum, 120);
  }
}

TEST(PolicyTest, NoneWhenAllWeightsAreZero) {
  const auto policy = MakePolicy(PolicyKind::kRoundRobin, {0u, 0u}, {.index = 1, .count = 2});
  EXPECT_EQ(policy->Pick(PoolModel(2), 0), Policy::kNone);
}

TEST(PolicyTest, NoneWhenNoneIsEligibleAndBackToWorkAfterwards) {
  for (const std::vector<uint32_t>& weights : {std::vector<uint32_t>{1, 1, 1}, {5, 1, 1}}) {
    const auto policy = MakePolicy(PolicyKind::kRoundRobin, weights, {});
    PoolModel pool(weights.size());
    pool.eligible.assign(weights.size(), false);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(policy->Pick(pool, 0), Policy::kNone);
    pool.eligible[2] = true;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(policy->Pick(pool, 0), 2);
  }
}

TEST(PolicyTest, OneBackendTakesAll) {
  const auto policy = MakePolicy(PolicyKind::kRoundRobin, {1000u}, {.index = 7, .count = 8});
  const PoolModel pool(1);
  EXPECT_EQ(Shares(Picks(*policy, pool, 50), 1)[0], 50);
}

}  // namespace
}  // namespace l4lb

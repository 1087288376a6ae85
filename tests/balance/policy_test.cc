// SPDX-License-Identifier: Apache-2.0
//
// What holds for every policy.
#include "l4lb/balance/policy.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/balance/pool_model.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240711;

class PolicyTest : public testing::TestWithParam<PolicyKind> {
 protected:
  std::unique_ptr<Policy> Make(const Weights& weights, PolicyStart start = {}) const {
    return MakePolicy(GetParam(), weights, start);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, PolicyTest,
                         testing::Values(PolicyKind::kRoundRobin, PolicyKind::kRandom,
                                         PolicyKind::kLeastConnections, PolicyKind::kP2c),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(PolicyNameTest, IsThatOfTheConfiguration) {
  EXPECT_EQ(Name(PolicyKind::kRoundRobin), "round_robin");
  EXPECT_EQ(Name(PolicyKind::kRandom), "random");
  EXPECT_EQ(Name(PolicyKind::kLeastConnections), "least_connections");
  EXPECT_EQ(Name(PolicyKind::kP2c), "p2c");
}

TEST_P(PolicyTest, WeightZeroIsNeverPicked) {
  for (const Weights& weights : {Weights{0, 3, 0, 3}, {0, 5, 0, 1}, {0, 1}, {7, 0}}) {
    const auto policy = Make(weights);
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

TEST_P(PolicyTest, NoneWhenAllWeightsAreZeroOrThereAreNone) {
  EXPECT_EQ(Make({0, 0}, {.index = 1, .count = 2})->Pick(PoolModel(2), 0), Policy::kNone);
  EXPECT_EQ(Make({})->Pick(PoolModel(0), 0), Policy::kNone);
  EXPECT_EQ(Make({0, 0})->Pick(Untried(PoolModel(2), {1}), 0), Policy::kNone);
}

TEST_P(PolicyTest, NoneWhenNoneIsEligibleAndBackToWorkAfterwards) {
  for (const Weights& weights : {Weights{1, 1, 1}, {5, 1, 1}, {1000, 1, 1}}) {
    const auto policy = Make(weights);
    PoolModel pool(weights.size());
    for (int i = 0; i < 3; ++i) pool.SetEligible(i, false);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(policy->Pick(pool, 0), Policy::kNone);
    pool.SetEligible(2, true);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(policy->Pick(pool, 0), 2);
  }
}

TEST_P(PolicyTest, OneBackendTakesAll) {
  const auto policy = Make({1000}, {.index = 7, .count = 8});
  const PoolModel pool(1);
  EXPECT_EQ(Shares(Picks(*policy, pool, 50), 1)[0], 50);
}

// Changes and picks at random, and what must hold of every pick.
class AnyPool {
 public:
  AnyPool(Dice& dice, size_t backends)
      : dice_(dice), weights_(RandomWeights(dice, backends)), pool_(backends) {
    if (dice.Chance(0.3)) weights_.assign(backends, weights_[dice.Below(backends)]);
    chance_ = std::array{0.0, 0.01, 0.3, 0.9, 1.0}[dice.Below(5)];
    for (int i = 0; i < static_cast<int>(backends); ++i) pool_.SetEligible(i, dice.Chance(chance_));
    for (size_t i = 0; i < backends; ++i) pool_.hole[i] = weights_[i] == 0;
  }

  const Weights& weights() const { return weights_; }

  void Change() {
    const auto index = static_cast<int>(dice_.Below(pool_.size()));
    if (dice_.Chance(0.5)) pool_.SetEligible(index, dice_.Chance(chance_));
    if (dice_.Chance(0.5)) pool_.Add(index, pool_.Active(index) == 0 ? 2 : -1);
  }
  void PickAndCheck(Policy& policy) {
    if (dice_.Chance(0.8)) return PickAndCheck(policy, pool_);
    PickAndCheck(policy, Untried(pool_, {static_cast<int>(dice_.Below(pool_.size()))}));
  }

 private:
  void PickAndCheck(Policy& policy, const Candidates& candidates) {
    pool_.hole_looks = 0;
    const int index = policy.Pick(candidates, 0);
    ASSERT_EQ(pool_.hole_looks, 0);
    if (index == Policy::kNone) {
      for (size_t i = 0; i < weights_.size(); ++i) {
        ASSERT_FALSE(weights_[i] > 0 && candidates.Eligible(static_cast<int>(i))) << i;
      }
      return;
    }
    ASSERT_GE(index, 0);
    ASSERT_LT(static_cast<size_t>(index), weights_.size());
    ASSERT_TRUE(candidates.Eligible(index));
    ASSERT_GT(weights_[static_cast<size_t>(index)], 0u);
    pool_.Add(index, 1);
  }

  Dice& dice_;
  Weights weights_;
  PoolModel pool_;
  double chance_ = 1;  // Of being eligible.
};

TEST_P(PolicyTest, AnyWeightsAnyEligibilityAnyNumber) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  std::vector<size_t> numbers = {1, 2, 3, 63, 64, 65, 127, 128, 129, 9'999, 10'000};
  for (int i = 0; i < 40; ++i) numbers.push_back(1 + dice.Below(i < 20 ? 12 : 700));
  for (const size_t backends : numbers) {
    SCOPED_TRACE(testing::Message() << backends << " backends");
    AnyPool pool(dice, backends);
    const auto workers = static_cast<int>(dice.Between(1, 64));
    const int worker = static_cast<int>(dice.Below(static_cast<uint64_t>(workers)));
    const auto policy =
        Make(pool.weights(), {.index = worker, .count = workers, .seed = dice.Below(1'000)});
    for (int pick = 0; pick < (backends > 1'000 ? 100 : 300); ++pick) {
      pool.Change();
      pool.PickAndCheck(*policy);
      if (HasFatalFailure()) return;
    }
  }
}

// Each worker has a policy of its own, all begin at once, and few connections have come yet.
TEST_P(PolicyTest, WorkersTogetherAreFair) {
  for (const Weights& weights : {Weights(16, 1), Weights{4, 1, 1, 1, 1}, Weights{10, 10, 20}}) {
    constexpr int kWorkers = 16;
    PoolModel pool(weights.size());
    std::vector<int64_t> shares(weights.size());
    std::vector<std::unique_ptr<Policy>> policies;
    for (int worker = 0; worker < kWorkers; ++worker) {
      const auto seed = static_cast<uint64_t>(worker) + kSeed;
      policies.push_back(Make(weights, {.index = worker, .count = kWorkers, .seed = seed}));
    }
    const bool drawn = GetParam() == PolicyKind::kRandom || GetParam() == PolicyKind::kP2c;
    for (int turn = 0; turn < (drawn ? 1'000 : 4); ++turn) {
      for (auto& policy : policies) ++shares[static_cast<size_t>(policy->Pick(pool, 0))];
    }
    if (drawn) {
      EXPECT_LT(ChiSquareExcess(shares, weights), 4);
      continue;
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      const double due = 4.0 * kWorkers * weights[i] / static_cast<double>(SumOf(weights));
      EXPECT_NEAR(static_cast<double>(shares[i]), due, 0.5) << i;
    }
  }
}

// Connections that follow one another, never two at once: each backend gets its share.
TEST_P(PolicyTest, IdleSharesAreByWeight) {
  for (const Weights& weights :
       {Weights{1, 1, 1, 1}, Weights{1, 2, 4, 8}, Weights{5, 1, 1}, Weights{1000, 1},
        Weights{997, 0, 991, 13, 1}, Weights(1'000, 3)}) {
    const auto policy = Make(weights);
    const PoolModel pool(weights.size());
    const int64_t round = RoundOf(weights);
    const std::vector<int64_t> shares =
        Shares(Picks(*policy, pool, round * (20'000 / round + 1)), weights.size());
    if (GetParam() == PolicyKind::kRandom || GetParam() == PolicyKind::kP2c) {
      EXPECT_LT(ChiSquareExcess(shares, weights), 4);
      continue;
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(shares[i], (20'000 / round + 1) * round * weights[i] / SumOf(weights));
    }
  }
}

// Many policies are made one after the other, of a pool that is updated with every connection.
TEST_P(PolicyTest, AnIdenticalUpdateChangesNoPick) {
  Dice dice(kSeed + 1);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (const Weights& weights :
       {Weights(4, 1), Weights{5, 1, 1}, Weights{1, 3}, RandomWeights(dice, 200)}) {
    const PolicyStart start = {.index = 1, .count = 3, .seed = 7};
    const auto kept = Make(weights, start);
    auto replaced = Make(weights, start);
    PoolModel pool(weights.size());
    for (int pick = 0; pick < 300; ++pick) {
      const auto index = static_cast<int>(dice.Below(weights.size()));
      if (weights.size() > 2) pool.SetEligible(index, dice.Chance(0.5));
      pool.Add(index, pool.Active(index) == 0 ? 2 : -1);
      if (dice.Chance(0.5)) {
        auto next = Make(weights, start);
        next->ContinueFrom(*replaced);
        replaced = std::move(next);
      }
      ASSERT_EQ(replaced->Pick(pool, 0), kept->Pick(pool, 0)) << "pick " << pick;
    }
  }
}

TEST_P(PolicyTest, AnUpdateFromAnotherKindHasNoEffect) {
  for (const PolicyKind other : {PolicyKind::kRoundRobin, PolicyKind::kRandom,
                                 PolicyKind::kLeastConnections, PolicyKind::kP2c}) {
    if (other == GetParam()) continue;
    const PoolModel pool(5);
    const Weights weights = {3, 1, 2, 2, 1};
    const auto previous = MakePolicy(other, weights, {});
    Picks(*previous, pool, 4);
    const auto fresh = Make(weights);
    const auto updated = Make(weights);
    updated->ContinueFrom(*previous);
    EXPECT_EQ(Picks(*updated, pool, 30), Picks(*fresh, pool, 30));
  }
}

// Backends come, go and change their weight between picks.
TEST_P(PolicyTest, AnyUpdate) {
  Dice dice(kSeed + 2);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  PoolModel pool(300);
  std::unique_ptr<Policy> policy = Make({1});
  for (int update = 0; update < 150; ++update) {
    const Weights weights = dice.Chance(0.2)
                                ? Weights(1 + dice.Below(300), dice.Chance(0.8) ? 2 : 0)
                                : RandomWeights(dice, 1 + dice.Below(300));
    auto next = Make(weights);
    next->ContinueFrom(*policy);
    policy = std::move(next);
    for (int i = 0; i < 20; ++i)
      pool.SetEligible(static_cast<int>(dice.Below(300)), dice.Chance(0.5));
    for (int pick = 0; pick < 10; ++pick) {
      const int index = policy->Pick(pool, 0);
      bool any = false;
      for (size_t i = 0; i < weights.size(); ++i) any = any || (weights[i] > 0 && pool.eligible[i]);
      ASSERT_EQ(index != Policy::kNone, any);
      if (!any) continue;
      ASSERT_GT(weights.at(static_cast<size_t>(index)), 0u);
      ASSERT_TRUE(pool.eligible[static_cast<size_t>(index)]);
      pool.Add(index, dice.Chance(0.5) ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace l4lb

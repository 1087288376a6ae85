// SPDX-License-Identifier: Apache-2.0
//
// Round robin goes on where it was when the pool is updated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "l4lb/balance/round_robin.h"
#include "tests/balance/pool_model.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20241002;

// A worker's policy, and how often it has picked whom.
class Worker {
 public:
  explicit Worker(const Weights& weights, PolicyStart start = {})
      : start_(start), policy_(MakePolicy(PolicyKind::kRoundRobin, weights, start)) {}

  void Update(const Weights& weights) {
    auto next = MakePolicy(PolicyKind::kRoundRobin, weights, start_);
    next->ContinueFrom(*policy_);
    policy_ = std::move(next);
  }
  int Pick() {
    const int index = policy_->Pick(pool_, 0);
    if (index != Policy::kNone) ++shares_[static_cast<size_t>(index)];
    return index;
  }
  std::vector<int> Picks(int count) {
    std::vector<int> picks;
    for (int i = 0; i < count; ++i) picks.push_back(Pick());
    return picks;
  }
  int64_t share(size_t index) const { return shares_[index]; }
  PoolModel& pool() { return pool_; }

 private:
  const PolicyStart start_;
  PoolModel pool_{64};
  std::unique_ptr<Policy> policy_;
  std::vector<int64_t> shares_ = std::vector<int64_t>(64);
};

// J01: the index was set back to the first by every update.
TEST(RoundRobinUpdateTest, SixtyConnectionsWhileTheSameWeightsAreAppliedAgain) {
  for (const Weights& weights : {Weights(4, 1), Weights{2, 2, 1, 1}}) {
    Worker worker(weights);
    for (int i = 0; i < 60; ++i) {
      worker.Update(weights);
      worker.Pick();
    }
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(worker.share(i), 60 * weights[i] / SumOf(weights)) << i;
    }
  }
}

TEST(RoundRobinUpdateTest, EqualOnesGoOnAfterTheOnePickedLast) {
  Worker worker({1, 1, 1, 1});
  EXPECT_EQ(worker.Picks(2), (std::vector<int>{0, 1}));
  worker.Update({1, 1, 0, 1});
  EXPECT_EQ(worker.Picks(3), (std::vector<int>{3, 0, 1}));
  worker.Update({1, 0, 0, 1});  // The one picked last is gone.
  EXPECT_EQ(worker.Picks(3), (std::vector<int>{3, 0, 3}));
  worker.Update({5, 0, 0, 5});
  EXPECT_EQ(worker.Picks(3), (std::vector<int>{0, 3, 0}));
}

TEST(RoundRobinUpdateTest, WorkersStartApartWhenAllCameLater) {
  for (const Weights& weights : {Weights{1, 1, 1, 1}, Weights{2, 1, 2, 1}}) {
    for (int index = 0; index < 3; ++index) {
      const PolicyStart start = {.index = index, .count = 3};
      Worker worker({0, 0, 0, 0}, start);
      EXPECT_EQ(worker.Pick(), Policy::kNone);
      worker.Update(weights);
      EXPECT_EQ(worker.Picks(12), Worker(weights, start).Picks(12));
    }
  }
}

// The weight of one changes between equal and unequal: the others go on in their order.
TEST(RoundRobinUpdateTest, TheOrderOfTheOthersStays) {
  Worker worker({1, 1, 1, 1, 1});
  std::vector<int> others;
  for (int picks = 1; picks < 60; ++picks) {
    worker.Update({1u + static_cast<uint32_t>(picks % 2), 1, 1, 1, 1});
    const int index = worker.Pick();
    if (index != 0) others.push_back(index);
  }
  for (size_t i = 0; i < others.size(); ++i) EXPECT_EQ(others[i], static_cast<int>(i % 4 + 1));
}

// A pool whose weights change all the time, as in a slow start: nobody's share depends on it but
// that of those whose weights change.
class Changing {
 public:
  explicit Changing(Dice& dice)
      : dice_(dice), weights_(RandomWeights(dice, 40)), worker_(weights_) {
    for (size_t i = 0; i < kAnchors; ++i) weights_[i] = 100 * static_cast<uint32_t>(i + 1);
    worker_.Update(weights_);
  }

  void Run() {
    for (int update = 0; update < 400; ++update) {
      const size_t changed = kAnchors + dice_.Below(weights_.size() - kAnchors);
      weights_[changed] = static_cast<uint32_t>(dice_.Between(1, 300));
      worker_.Update(weights_);
      for (int pick = static_cast<int>(dice_.Below(200)); pick > 0; --pick) PickAndCount();
      CheckAnchors();
      if (testing::Test::HasFatalFailure()) return;
    }
    // Each pick may differ by a part of a turn: of 400 updates each of the 36 has had some ten.
    for (size_t i = kAnchors; i < weights_.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(worker_.share(i)), due_[i], 12 + 0.01 * due_[i]) << i;
    }
  }

 private:
  static constexpr size_t kAnchors = 4;  // Those whose weights never change.

  void PickAndCount() {
    worker_.Pick();
    const auto sum = static_cast<double>(SumOf(weights_));
    for (size_t i = 0; i < weights_.size(); ++i) due_[i] += weights_[i] / sum;
  }
  // Turns per weight, which is virtual time, differ by less than one turn each.
  void CheckAnchors() {
    for (size_t i = 1; i < kAnchors; ++i) {
      const double first = static_cast<double>(worker_.share(0)) / weights_[0];
      const double other = static_cast<double>(worker_.share(i)) / weights_[i];
      ASSERT_NEAR(first, other, 1.001 / weights_[0] + 1.001 / weights_[i]);
    }
  }

  Dice& dice_;
  Weights weights_;
  Worker worker_;
  std::vector<double> due_ = std::vector<double>(64);
};

TEST(RoundRobinUpdateTest, WhoseWeightStaysKeepsItsTurns) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 3 && !HasFatalFailure(); ++i) Changing(dice).Run();
}

TEST(RoundRobinUpdateTest, AChangeWithEveryPickIsNoBurstAndNoStarvation) {
  Worker worker({3, 4, 5, 4});
  std::vector<int> picks;
  for (int i = 0; i < 1'600; ++i) {
    worker.Update({3, 4, 5, i % 2 == 0 ? 3u : 5u});
    picks.push_back(worker.Pick());
  }
  EXPECT_NEAR(static_cast<double>(worker.share(1)), 400, 2);
  EXPECT_NEAR(static_cast<double>(worker.share(3)), 400, 20);
  EXPECT_LE(LongestRun(picks), 2);
}

// Between equal and unequal and back with every pick.
TEST(RoundRobinUpdateTest, AChangeOfTheKindOfWeightsIsFair) {
  Worker worker({1, 1, 1, 1, 1});
  std::vector<int> picks;
  for (int i = 0; i < 1'100; ++i) {
    worker.Update(i % 2 == 0 ? Weights{2, 1, 1, 1, 1} : Weights(5, 1));
    picks.push_back(worker.Pick());
  }
  EXPECT_LE(LongestRun(picks), 2);
  for (size_t i = 1; i < 5; ++i) EXPECT_NEAR(static_cast<double>(worker.share(i)), 200, 20) << i;
}

TEST(RoundRobinUpdateTest, NoBurstForOneThatWasAwayDuringUpdates) {
  Worker worker({2, 1, 1, 1});
  worker.pool().eligible[1] = false;
  for (int i = 0; i < 50; ++i) {
    worker.Picks(7);
    worker.Update({2, 1, 1, 1u + static_cast<uint32_t>(i % 2)});
  }
  EXPECT_EQ(worker.share(1), 0);
  worker.pool().eligible[1] = true;
  const std::vector<int> picks = worker.Picks(60);
  EXPECT_LE(LongestRun(picks), 2);
  EXPECT_NEAR(static_cast<double>(Shares(picks, 4)[1]), 10, 1);
}

TEST(RoundRobinUpdateTest, OneThatIsLateIsServedAtOnceThoughItsWeightChanges) {
  Worker worker({1, 1, 1, 1});
  worker.pool().eligible[0] = false;
  EXPECT_EQ(worker.Pick(), 1);
  worker.Update({2, 1, 1, 1});
  worker.pool().eligible[0] = true;
  EXPECT_EQ(worker.Pick(), 0);
}

// What is new comes in between the others, not all at once.
TEST(RoundRobinUpdateTest, NewOnesAreSpread) {
  Weights weights(40, 2);
  weights[0] = 3;
  for (size_t i = 20; i < 40; ++i) weights[i] = 0;
  Worker worker(weights);
  worker.Picks(100);
  for (size_t i = 20; i < 40; ++i) weights[i] = 2;
  worker.Update(weights);
  for (int i = 0; i < 12; ++i) {
    const std::vector<int> picks = worker.Picks(10);
    const auto fresh = std::count_if(picks.begin(), picks.end(), [](int one) { return one >= 20; });
    EXPECT_NEAR(static_cast<double>(fresh), 5, 2);
  }
}

}  // namespace
}  // namespace l4lb

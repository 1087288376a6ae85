// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/least_connections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/balance/least_connections_model.h"
#include "tests/balance/pool_model.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240803;

// Picks and opens a session there.
int Open(Policy& policy, PoolModel& pool) {
  const int index = policy.Pick(pool, 0);
  if (index != Policy::kNone) pool.Add(index, 1);
  return index;
}

TEST(LeastConnectionsTest, HeldConnectionsAreByWeight) {
  PoolModel pool(4);
  LeastConnections policy(Weights{1, 2, 4, 8}, {});
  for (int i = 0; i < 150; ++i) Open(policy, pool);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(pool.Active(i)), 10 << i, 1) << i;
}

TEST(LeastConnectionsTest, ABackendThatLostItsConnectionsGetsTheNextOnes) {
  PoolModel pool(3);
  LeastConnections policy(Weights(3, 1), {});
  for (int i = 0; i < 30; ++i) Open(policy, pool);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.Active(i), 10);
  pool.Add(1, -10);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Open(policy, pool), 1);
}

// (active + 1) / weight: the first connection of an idle light one comes before the second of a
// heavy one, whatever the weights.
TEST(LeastConnectionsTest, AnIdleBackendIsFirst) {
  PoolModel pool(3);
  LeastConnections policy(Weights{1000, 1, 1}, {});
  std::vector<int> first;
  for (int i = 0; i < 3; ++i) first.push_back(Open(policy, pool));
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, (std::vector<int>{0, 1, 2}));
  for (int i = 0; i < 900; ++i) EXPECT_EQ(Open(policy, pool), 0);
}

// J03.
TEST(LeastConnectionsTest, SequentialConnectionsTakeTurns) {
  PoolModel pool(4);
  LeastConnections policy(Weights(4, 1), {});
  std::vector<int> picks;
  for (int i = 0; i < 400; ++i) {
    picks.push_back(Open(policy, pool));
    pool.Add(picks.back(), -1);
  }
  EXPECT_EQ(Shares(picks, 4), std::vector<int64_t>(4, 100));
  EXPECT_EQ(LongestRun(picks), 1);
}

// As long as some are idle, the one that was used longest ago is picked.
TEST(LeastConnectionsTest, TiesGoToTheOneUsedLongestAgo) {
  PoolModel pool(5);
  LeastConnections policy(Weights(5, 1), {});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(policy.Pick(pool, 0), i);
  pool.Add(0, 1);
  pool.Add(1, 1);
  EXPECT_EQ(Picks(policy, pool, 6), (std::vector<int>{2, 3, 4, 2, 3, 4}));
  pool.Add(1, -1);
  EXPECT_EQ(Picks(policy, pool, 4), (std::vector<int>{1, 2, 3, 4}));
}

// The same at random: equal weights, and whoever is picked was used longest ago of all idle ones.
TEST(LeastConnectionsTest, AmongTheIdleTheOrderIsThatOfTheirLastUse) {
  Dice dice(kSeed + 1);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  constexpr int kBackends = 70;
  PoolModel pool(kBackends);
  LeastConnections policy(Weights(kBackends, 3), {});
  std::vector<int> last_use(kBackends);
  for (int i = 0; i < kBackends; ++i) last_use[static_cast<size_t>(policy.Pick(pool, 0))] = i;
  for (int pick = kBackends; pick < 3'000; ++pick) {
    const auto index = static_cast<int>(dice.Below(kBackends));
    pool.Add(index, pool.Active(index) == 0 ? 1 : -pool.Active(index));
    int expected = Policy::kNone;
    for (int i = 0; i < kBackends; ++i) {
      if (pool.Active(i) > 0) continue;
      const auto used = [&last_use](int one) { return last_use[static_cast<size_t>(one)]; };
      if (expected == Policy::kNone || used(i) < used(expected)) expected = i;
    }
    if (expected == Policy::kNone) continue;
    ASSERT_EQ(policy.Pick(pool, 0), expected) << "pick " << pick;
    last_use[static_cast<size_t>(expected)] = pick;
  }
}

TEST(LeastConnectionsTest, NoBurstAfterALongTimeOfBeingBusy) {
  PoolModel pool(3);
  LeastConnections policy(Weights{1, 2, 1}, {});
  pool.Add(1, 100);
  Picks(policy, pool, 1'000);
  pool.Add(1, -100);
  const std::vector<int> picks = Picks(policy, pool, 400);
  EXPECT_NEAR(static_cast<double>(Shares(picks, 3)[1]), 200, 2);
  EXPECT_LE(LongestRun(picks), 2);
}

// Nobody tells of what a session has tried: it must not be kept for the next one, nor must what
// was kept be taken for it.
TEST(LeastConnectionsTest, WhatASessionHasTriedCountsForThatPickOnly) {
  PoolModel pool(130);
  LeastConnections policy(Weights(130, 1), {});
  for (int i = 0; i < 130; ++i) pool.Add(i, i == 77 ? 1 : 5);
  ASSERT_EQ(policy.Pick(pool, 0), 77);
  EXPECT_NE(policy.Pick(Untried(pool, {77}), 0), 77);
  EXPECT_EQ(policy.Pick(pool, 0), 77);
}

// Random sessions of random length against the model, by one or several workers that share the
// counts.
class Against {
 public:
  Against(Dice& dice, const Weights& weights, int workers) : dice_(dice), pool_(weights.size()) {
    for (int worker = 0; worker < workers; ++worker) {
      const PolicyStart start = {.index = worker, .count = workers};
      workers_.push_back({std::make_unique<LeastConnections>(weights, start),
                          LeastConnectionsModel(weights, start)});
    }
  }

  void Step() {
    if (dice_.Chance(0.1)) {
      pool_.SetEligible(static_cast<int>(dice_.Below(pool_.size())), dice_.Chance(0.7));
    }
    while (!open_.empty() && dice_.Chance(0.49)) Close();
    Worker& worker = workers_[dice_.Below(workers_.size())];
    if (dice_.Chance(0.9)) return Pick(worker, pool_);
    Pick(worker, Untried(pool_, {open_.empty() ? 0 : open_.back()}));
  }

  void Update(const Weights& weights) {
    for (Worker& worker : workers_) {
      auto next = std::make_unique<LeastConnections>(weights, PolicyStart());
      LeastConnectionsModel model(weights, {});
      next->ContinueFrom(*worker.policy);
      model.ContinueFrom(worker.model);
      worker = {std::move(next), std::move(model)};
    }
  }

 private:
  struct Worker {
    std::unique_ptr<Policy> policy;
    LeastConnectionsModel model;
  };

  void Close() {
    std::swap(open_[dice_.Below(open_.size())], open_.front());
    pool_.Add(open_.front(), -1);
    open_.pop_front();
  }
  void Pick(Worker& worker, const Candidates& candidates) {
    const int expected = worker.model.Best(candidates);
    ASSERT_EQ(worker.policy->Pick(candidates, 0), expected);
    if (expected == Policy::kNone) return;
    worker.model.Picked(expected);
    pool_.Add(expected, 1);
    open_.push_back(expected);
  }

  Dice& dice_;
  PoolModel pool_;
  std::vector<Worker> workers_;
  std::deque<int> open_;
};

TEST(LeastConnectionsTest, PicksAsIfItLookedAtAllOfThem) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (const size_t backends : {1, 2, 5, 63, 64, 65, 128, 200, 321, 700}) {
    for (const int workers : {1, 3}) {
      const Weights weights =
          dice.Chance(0.3) ? Weights(backends, 2) : RandomWeights(dice, backends);
      Against against(dice, weights, workers);
      for (int step = 0; step < 600 && !testing::Test::HasFatalFailure(); ++step) {
        against.Step();
        if (step == 300) against.Update(RandomWeights(dice, backends));
      }
    }
  }
}

TEST(LeastConnectionsTest, LooksAtFewOfTenThousand) {
  PoolModel pool(10'000);
  LeastConnections policy(Weights(10'000, 1), {});
  for (int i = 0; i < 2'000; ++i) Open(policy, pool);
  pool.looks = 0;
  for (int i = 0; i < 1'000; ++i) {
    Open(policy, pool);
    pool.Add(i, -1);
  }
  EXPECT_LE(pool.looks, 1'000 * 2 * Candidates::kBlock);
}

}  // namespace
}  // namespace l4lb

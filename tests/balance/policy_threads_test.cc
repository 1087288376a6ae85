// SPDX-License-Identifier: Apache-2.0
//
// Counts and eligibility change on other threads while a policy picks.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "l4lb/balance/least_connections.h"
#include "l4lb/balance/policy.h"
#include "tests/balance/least_connections_model.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240917;
constexpr int kBackends = 200;

class SharedPool : public Candidates {
 public:
  SharedPool() : active_(kBackends), barred_(kBackends), changes_(kBackends / kBlock + 1) {}

  bool Eligible(int index) const override { return !barred_[static_cast<size_t>(index)].load(); }
  int64_t Active(int index) const override { return active_[static_cast<size_t>(index)].load(); }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return changes_; }
  bool narrowed() const override { return false; }

  void Add(int index, int64_t change) {
    active_[static_cast<size_t>(index)] += change;
    Changed(index);
  }
  void SetEligible(int index, bool value) {
    barred_[static_cast<size_t>(index)] = !value;
    Changed(index);
  }

 private:
  void Changed(int index) {
    changes_[static_cast<size_t>(index / kBlock)].fetch_add(1, std::memory_order_release);
  }

  std::vector<std::atomic<int64_t>> active_;
  std::vector<std::atomic<bool>> barred_;
  std::vector<std::atomic<uint32_t>> changes_;
};

// Sessions of another worker come and go, and backends too.
void Disturb(SharedPool& pool, uint64_t seed) {
  Dice dice(seed);
  std::vector<int> open;
  for (int i = 0; i < 300; ++i) {
    const auto index = static_cast<int>(dice.Below(kBackends));
    pool.Add(index, 1);
    open.push_back(index);
    if (dice.Chance(0.1)) pool.SetEligible(index, dice.Chance(0.7));
    if (dice.Chance(0.6)) {
      pool.Add(open.back(), -1);
      open.pop_back();
    }
  }
}

// What changes during a look must be seen by the next one: as soon as all is quiet, every pick is
// the very best.
TEST(PolicyThreadsTest, LeastConnectionsMissesNoChange) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const Weights weights = RandomWeights(dice, kBackends);
  SharedPool pool;
  LeastConnections policy(weights, {});
  LeastConnectionsModel model(weights, {});
  const auto pick = [&] {
    const int index = policy.Pick(pool, 0);
    if (index == Policy::kNone) return index;
    EXPECT_GT(weights[static_cast<size_t>(index)], 0u);
    model.Picked(index);
    pool.Add(index, 1);
    return index;
  };
  for (int round = 0; round < 100; ++round) {
    std::atomic<bool> done{false};
    std::thread other([&pool, &done, seed = dice.Below(1'000'000)] {
      Disturb(pool, seed);
      done = true;
    });
    while (!done) pick();
    other.join();
    for (int i = 0; i < 5; ++i) {
      const int best = model.Best(pool);
      ASSERT_EQ(pick(), best);
    }
  }
}

TEST(PolicyThreadsTest, AnyPolicyPicksWhileOthersChangeThings) {
  Dice dice(kSeed + 1);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const Weights weights = RandomWeights(dice, kBackends);
  for (const PolicyKind kind : {PolicyKind::kRoundRobin, PolicyKind::kRandom,
                                PolicyKind::kLeastConnections, PolicyKind::kP2c}) {
    SharedPool pool;
    std::vector<std::thread> workers;
    for (int worker = 0; worker < 3; ++worker) {
      workers.emplace_back([&pool, &weights, kind, worker] {
        const auto policy = MakePolicy(kind, weights, {.index = worker, .count = 3, .seed = 5});
        for (int i = 0; i < 2'000; ++i) {
          const int index = policy->Pick(pool, 0);
          ASSERT_NE(index, Policy::kNone);
          ASSERT_GT(weights[static_cast<size_t>(index)], 0u);
          pool.Add(index, 1);
          pool.SetEligible(index, i % 3 != 0);
          pool.Add(index, -1);
          pool.SetEligible(index, true);
        }
      });
    }
    for (std::thread& worker : workers) worker.join();
    for (int i = 0; i < kBackends; ++i) EXPECT_EQ(pool.Active(i), 0);
  }
}

}  // namespace
}  // namespace l4lb

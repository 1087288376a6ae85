// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/simulation.h"

#include <numeric>

#include "gtest/gtest.h"
#include "tools/lab/survey.h"

namespace l4lb::lab {
namespace {

constexpr PolicyKind kAll[] = {PolicyKind::kRoundRobin,       PolicyKind::kRandom,
                               PolicyKind::kLeastConnections, PolicyKind::kP2c,
                               PolicyKind::kMaglev,           PolicyKind::kRing};

Outcome OutcomeOf(const World& world, PolicyKind policy, uint64_t seed = 1, int samples = 0) {
  return Simulation(world, policy, seed, samples).Run();
}

int64_t Sum(const std::vector<int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

// What every machine and compiler must get.
TEST(SimulationTest, IsTheSameEverywhere) {
  const Outcome outcome = OutcomeOf({.slow = 1, .utilisation = 0.6, .limit = 32}, PolicyKind::kP2c);
  EXPECT_EQ(outcome.latency_ns.count(), 4012u);
  EXPECT_EQ(outcome.latency_ns.min(), 1267u);
  EXPECT_EQ(outcome.latency_ns.max(), 135'883'737u);
  EXPECT_EQ(outcome.requests, (std::vector<int64_t>{1171, 1151, 1126, 564}));
}

TEST(SimulationTest, SeedsDiffer) {
  const World world;
  EXPECT_NE(OutcomeOf(world, PolicyKind::kP2c, 1).latency_ns.max(),
            OutcomeOf(world, PolicyKind::kP2c, 2).latency_ns.max());
}

// Whatever waits where, and whoever joins: each request is answered once, and is counted.
TEST(SimulationTest, EveryRequestIsAnswered) {
  const World worlds[] = {
      {},
      {.slow = 1, .utilisation = 0.95, .limit = 3},
      {.utilisation = 0.95, .limit = 2, .queue_per = QueuePer::kPool},
      {.utilisation = 1.2,
       .balancers = 3,
       .limit = 1,
       .queue_per = QueuePer::kPool,
       .joining = 2,
       .join_ms = 3'000,
       .slow_start_ms = 1'000},
      {.connections = 50, .requests_each = 7, .joining = 1, .join_ms = 100},
      {.limit = 4, .connections = 30, .requests_each = 5},
      {.limit = 4, .queue_per = QueuePer::kPool, .connections = 30, .requests_each = 5},
      {.backends = 1, .service = Service::kPareto, .shape = 1.2, .clients = 3}};
  for (const World& world : worlds) {
    const auto requests = OutcomeOf(world, PolicyKind::kRandom).latency_ns.count();
    EXPECT_GT(requests, 1'000u);
    for (const PolicyKind policy : kAll) {
      const Outcome outcome = OutcomeOf(world, policy);
      // The very same requests, whatever the policy is.
      EXPECT_EQ(outcome.latency_ns.count(), requests);
      EXPECT_EQ(Sum(outcome.requests), static_cast<int64_t>(requests));
    }
  }
}

TEST(SimulationTest, WarmUpIsNotMeasured) {
  const World world = {.duration_ms = 1'000, .warmup_ms = 9'000};
  const auto requests = static_cast<double>(OutcomeOf(world, PolicyKind::kP2c).latency_ns.count());
  EXPECT_NEAR(requests, world.rate(), 100);
}

TEST(SimulationTest, SlowBackendGetsItsTurnButNotItsShareOfLeast) {
  const World world = {.slow = 1, .utilisation = 0.6, .duration_ms = 60'000};
  EXPECT_NEAR(MarkedShare(world, OutcomeOf(world, PolicyKind::kRoundRobin)), 25, 0.1);
  EXPECT_NEAR(MarkedShare(world, OutcomeOf(world, PolicyKind::kRandom)), 25, 1);
  EXPECT_NEAR(MarkedShare(world, OutcomeOf(world, PolicyKind::kLeastConnections)), 14.4, 1);
  EXPECT_NEAR(MarkedShare(world, OutcomeOf(world, PolicyKind::kP2c)), 14.1, 1);
}

TEST(SimulationTest, KnowsWhatGrows) {
  const World slow = {.slow = 1, .utilisation = 0.6};
  EXPECT_TRUE(OutcomeOf(slow, PolicyKind::kRoundRobin).growing);
  EXPECT_TRUE(OutcomeOf(slow, PolicyKind::kRandom).growing);
  EXPECT_FALSE(OutcomeOf(slow, PolicyKind::kLeastConnections).growing);
  EXPECT_TRUE(
      OutcomeOf({.utilisation = 1.1, .limit = 1, .queue_per = QueuePer::kPool}, PolicyKind::kP2c)
          .growing);
  EXPECT_TRUE(OutcomeOf({.utilisation = 1.02}, PolicyKind::kLeastConnections).growing);
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_FALSE(OutcomeOf({}, PolicyKind::kRandom, seed).growing) << seed;
  }
}

// A policy on connections that last sees no requests, and a new backend has nothing to do until
// connections are opened anew.
TEST(SimulationTest, LastingConnectionsStarveANewBackend) {
  World world = {.connections = 100, .joining = 1, .join_ms = 0, .duration_ms = 20'000};
  EXPECT_EQ(MarkedShare(world, OutcomeOf(world, PolicyKind::kLeastConnections)), 0);
  world.requests_each = 10;
  EXPECT_NEAR(MarkedShare(world, OutcomeOf(world, PolicyKind::kLeastConnections)), 20, 2);
}

TEST(SimulationTest, SlowStartHoldsANewBackendBack) {
  World world = {.backends = 3, .joining = 1, .join_ms = 0, .duration_ms = 10'000};
  for (const PolicyKind policy : {PolicyKind::kRoundRobin, PolicyKind::kRandom,
                                  PolicyKind::kLeastConnections, PolicyKind::kP2c}) {
    world.slow_start_ms = 0;
    const double at_once = MarkedShare(world, OutcomeOf(world, policy));
    world.slow_start_ms = 10'000;
    const double slowly = MarkedShare(world, OutcomeOf(world, policy));
    EXPECT_NEAR(at_once, 25, 4) << Name(policy);
    EXPECT_LT(slowly, 0.75 * at_once) << Name(policy);
    EXPECT_GT(slowly, 0.2 * at_once) << Name(policy);
  }
}

// A hash policy sends each client to its backend, however long the line there is.
TEST(SimulationTest, HashPoliciesFollowTheClient) {
  const World world = {.clients = 1};
  for (const PolicyKind policy : {PolicyKind::kMaglev, PolicyKind::kRing}) {
    const Outcome outcome = OutcomeOf(world, policy);
    const auto all = static_cast<int64_t>(outcome.latency_ns.count());
    EXPECT_EQ(*std::max_element(outcome.requests.begin(), outcome.requests.end()), all);
  }
}

TEST(SimulationTest, SamplesTellTheWholeRun) {
  const World world = {.slow = 1, .utilisation = 0.6, .warmup_ms = 500};
  const Outcome outcome = OutcomeOf(world, PolicyKind::kRoundRobin, 1, 80);
  ASSERT_EQ(outcome.samples.size(), 80u);
  uint64_t answered = 0;
  int64_t sent = 0;
  for (const Sample& sample : outcome.samples) {
    answered += sample.latency_ns.count();
    sent += std::accumulate(sample.requests.begin(), sample.requests.end(), 0);
  }
  EXPECT_EQ(outcome.samples.back().time_ms, world.duration_ms);
  EXPECT_EQ(sent, static_cast<int64_t>(outcome.latency_ns.count()));
  EXPECT_LE(answered, outcome.latency_ns.count());
  // 125 a second come to the slow one, which can do 83.
  EXPECT_NEAR(outcome.samples[79].present[3], 8 * 41.7, 100);
  EXPECT_NEAR(outcome.samples[39].present[3], 4 * 41.7, 90);
}

}  // namespace
}  // namespace l4lb::lab

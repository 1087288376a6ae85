// SPDX-License-Identifier: Apache-2.0
//
// The simulator against queueing theory, where it has an answer: within 2 %.  Seeds are fixed, so
// nothing here is a matter of luck.
#include "gtest/gtest.h"
#include "tools/lab/simulation.h"
#include "tools/lab/survey.h"
#include "tools/lab/theory.h"

namespace l4lb::lab {
namespace {

constexpr double kTolerance = 0.02;
constexpr int64_t kWarmupMs = 20'000;

World Lasting(World world, double requests, int64_t warmup_ms = kWarmupMs) {
  world.duration_ms = static_cast<int64_t>(1'000 * requests / world.rate());
  world.warmup_ms = warmup_ms;
  return world;
}

void ExpectNear(const World& world, PolicyKind policy, const char* name) {
  const auto expected = ExpectedOf(world, policy);
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(expected->name, name);
  const Outcome outcome = Simulation(world, policy, 1).Run();
  EXPECT_NEAR(outcome.latency_ns.mean() / 1e6 / expected->mean_ms, 1, kTolerance);
  if (!expected->p50_ms.has_value()) return;
  EXPECT_NEAR(QuantileMs(outcome, 0.5) / *expected->p50_ms, 1, kTolerance);
  EXPECT_NEAR(QuantileMs(outcome, 0.99) / *expected->p99_ms, 1, kTolerance);
}

TEST(AgainstTheoryTest, OneServer) {
  ExpectNear(Lasting({.backends = 1}, 2e6), PolicyKind::kRoundRobin, "M/M/1");
}

TEST(AgainstTheoryTest, OneServerThatIsVeryBusy) {
  ExpectNear(Lasting({.backends = 1, .utilisation = 0.8}, 3e6), PolicyKind::kP2c, "M/M/1");
}

TEST(AgainstTheoryTest, OneServerOfConstantService) {
  ExpectNear(Lasting({.backends = 1, .service = Service::kConstant}, 1e6), PolicyKind::kRandom,
             "M/D/1");
}

TEST(AgainstTheoryTest, OneServerOfParetoService) {
  ExpectNear(
      Lasting({.backends = 1, .utilisation = 0.5, .service = Service::kPareto, .shape = 3.5}, 2e6),
      PolicyKind::kRandom, "M/G/1");
}

TEST(AgainstTheoryTest, RandomIsAServerEach) {
  ExpectNear(Lasting({}, 2e6), PolicyKind::kRandom, "M/M/1");
}

TEST(AgainstTheoryTest, RandomOverUnequalBackends) {
  ExpectNear(Lasting({.slow = 1, .slow_factor = 2, .utilisation = 0.4}, 2e6), PolicyKind::kRandom,
             "M/M/1");
}

TEST(AgainstTheoryTest, RoundRobin) {
  ExpectNear(Lasting({}, 2e6), PolicyKind::kRoundRobin, "E_n/M/1");
  ExpectNear(Lasting({.backends = 20}, 1e6), PolicyKind::kRoundRobin, "E_n/M/1");
}

// One place at each backend, and a line before all of them: it does not matter who is picked.
TEST(AgainstTheoryTest, CentralQueue) {
  const World world =
      Lasting({.backends = 10, .utilisation = 0.9, .limit = 1, .queue_per = QueuePer::kPool}, 1e6);
  ExpectNear(world, PolicyKind::kLeastConnections, "M/M/n");
  const Outcome outcome = Simulation(world, PolicyKind::kRandom, 1).Run();
  EXPECT_NEAR(outcome.latency_ns.mean() / 1e6 / MeanTimeOfCentralQueue(4, 10, 0.9), 1, kTolerance);
  const auto waited = static_cast<double>(outcome.waited);
  EXPECT_NEAR(waited / static_cast<double>(outcome.latency_ns.count()) / ErlangC(10, 0.9), 1,
              kTolerance);
}

// Waiting at the balancer for one backend, or at the backend: the same line.
TEST(AgainstTheoryTest, ALimitPerBackendChangesNoTimes) {
  const World world = Lasting({}, 1e5);
  World limited = world;
  limited.limit = 2;
  const Outcome free = Simulation(world, PolicyKind::kRoundRobin, 1).Run();
  const Outcome full = Simulation(limited, PolicyKind::kRoundRobin, 1).Run();
  EXPECT_GT(full.waited, 10'000);
  EXPECT_EQ(free.latency_ns.mean(), full.latency_ns.mean());
  EXPECT_EQ(free.latency_ns.max(), full.latency_ns.max());
}

// Doubly exponential: at 90 % a random choice leaves 59 % of the backends with 5 requests or more,
// and two choices 4 %.
TEST(AgainstTheoryTest, TailOfTwoChoices) {
  const World world = Lasting({.backends = 1'000, .utilisation = 0.9}, 1e6, 2'000);
  const Outcome outcome = Simulation(world, PolicyKind::kP2c, 1).Run();
  ASSERT_GT(outcome.at_least.size(), 6u);
  for (int k = 1; k <= 4; ++k) {
    EXPECT_NEAR(outcome.at_least[static_cast<size_t>(k)] / ShareWithAtLeast(k, 0.9), 1, 0.03) << k;
  }
  EXPECT_NEAR(outcome.at_least[5] / ShareWithAtLeast(5, 0.9), 1, 0.1);
  EXPECT_LT(outcome.at_least[6], 0.01);
}

TEST(AgainstTheoryTest, TailOfOneChoice) {
  const World world = Lasting({.backends = 1'000, .utilisation = 0.7}, 5e5, 1'000);
  const Outcome outcome = Simulation(world, PolicyKind::kRandom, 1).Run();
  EXPECT_NEAR(outcome.at_least[5] / std::pow(0.7, 5), 1, kTolerance);
}

}  // namespace
}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// Several balancers before the same backends, each of which sees its own part only.
#include "gtest/gtest.h"
#include "tools/lab/simulation.h"
#include "tools/lab/survey.h"

namespace l4lb::lab {
namespace {

double P99Ms(World world, PolicyKind policy, int balancers) {
  world.balancers = balancers;
  world.duration_ms = 600'000;
  world.warmup_ms = 20'000;
  return QuantileMs(Simulation(world, policy, 1).Run(), 0.99);
}

const World kEqual = {};
const World kSlow = {.slow = 1, .utilisation = 0.6};

TEST(HerdTest, LeastConnectionsIsWorseThanWithOneBalancer) {
  EXPECT_GT(P99Ms(kEqual, PolicyKind::kLeastConnections, 16),
            1.4 * P99Ms(kEqual, PolicyKind::kLeastConnections, 1));
  EXPECT_GT(P99Ms(kSlow, PolicyKind::kLeastConnections, 16),
            4 * P99Ms(kSlow, PolicyKind::kLeastConnections, 1));
}

// It is often said to lose hardly anything: it does lose, but less, and is then the better one.
TEST(HerdTest, TwoChoicesLoseLess) {
  for (const World& world : {kEqual, kSlow}) {
    const double least = P99Ms(world, PolicyKind::kLeastConnections, 16) /
                         P99Ms(world, PolicyKind::kLeastConnections, 1);
    const double p2c = P99Ms(world, PolicyKind::kP2c, 16) / P99Ms(world, PolicyKind::kP2c, 1);
    EXPECT_LT(p2c, 0.95 * least);
    EXPECT_GT(p2c, 1.3);
  }
  EXPECT_LT(P99Ms(kSlow, PolicyKind::kP2c, 16),
            0.85 * P99Ms(kSlow, PolicyKind::kLeastConnections, 16));
}

// With many balancers each has seldom more than one request at a backend: its counts say nothing.
TEST(HerdTest, ManyBalancersKnowNothing) {
  const double random = P99Ms(kEqual, PolicyKind::kRandom, 1);
  EXPECT_NEAR(P99Ms(kEqual, PolicyKind::kP2c, 500) / random, 1, 0.08);
}

}  // namespace
}  // namespace l4lb::lab

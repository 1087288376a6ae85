// SPDX-License-Identifier: Apache-2.0
//
// What is published about the scenes, beside runs of the same length.
#include "tools/lab/claims.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace l4lb::lab {
namespace {

// L4LB_CLAIM_SEEDS: more than the quick test takes.
int Seeds() {
  const char* text = std::getenv("L4LB_CLAIM_SEEDS");
  return text != nullptr ? std::atoi(text) : 100;
}

std::vector<Claim> ClaimsOf(const char* scene) {
  return CheckClaims(*FindScene(scene), Seeds(), 0, [](int, int) {});
}

std::string TextOf(const Claim& claim) {
  return std::string(Name(claim.published.policy)) + " " + NameOf(claim.published.figure);
}

TEST(ClaimsTest, PublishedSimulationLiesInOurRuns) {
  const auto claims = ClaimsOf("sliders");
  EXPECT_EQ(claims.size(), 8u);
  for (const Claim& claim : claims) EXPECT_TRUE(claim.holds()) << TextOf(claim);
}

// The experiment has the cost of HTTP in its times, about 0.8 ms: that shows in medians, which are
// short, and hardly in the tail.
TEST(ClaimsTest, PublishedExperimentLiesInOurRunsButForItsMedians) {
  for (const char* scene : {"equal", "slow"}) {
    for (const Claim& claim : ClaimsOf(scene)) {
      if (claim.published.figure == Figure::kP50) {
        EXPECT_GT(claim.published.most, claim.low) << TextOf(claim);
        EXPECT_LT(claim.published.most - claim.high, 1) << TextOf(claim);
      } else if (claim.published.policy != PolicyKind::kP2c || scene != std::string("equal")) {
        EXPECT_TRUE(claim.holds()) << scene << " " << TextOf(claim);
      }
    }
  }
}

// What must show: with a slow backend round robin and random end beyond a second.
TEST(ClaimsTest, OneSlowBackend) {
  for (const Claim& claim : ClaimsOf("slow")) {
    const bool blind = claim.published.policy == PolicyKind::kRoundRobin ||
                       claim.published.policy == PolicyKind::kRandom;
    if (claim.published.figure == Figure::kP99) {
      EXPECT_EQ(claim.low > 1'000, blind) << TextOf(claim);
      EXPECT_EQ(claim.high < 120, !blind) << TextOf(claim);
    } else if (claim.published.figure == Figure::kSlowShare) {
      EXPECT_GT(claim.low, blind ? 23 : 10) << TextOf(claim);
      EXPECT_LT(claim.high, blind ? 27 : 18) << TextOf(claim);
    }
  }
}

}  // namespace
}  // namespace l4lb::lab

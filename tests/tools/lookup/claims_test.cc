// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/claims.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tools/lookup/ring_shares.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {
namespace {

TEST(Claim, AboutHoldsWithinItsTolerance) {
  Claim claim = {.expected = 80, .tolerance = 1, .measured = 80.9};
  EXPECT_TRUE(claim.holds());
  claim.measured = 79.1;
  EXPECT_TRUE(claim.holds());
  claim.measured = 81.1;
  EXPECT_FALSE(claim.holds());
  claim.measured = 78.9;
  EXPECT_FALSE(claim.holds());
}

TEST(Claim, AtMostHoldsBelow) {
  Claim claim = {.rule = Rule::kAtMost, .expected = 8, .measured = 1};
  EXPECT_TRUE(claim.holds());
  claim.measured = 8.1;
  EXPECT_FALSE(claim.holds());
}

class Claims : public testing::Test {
 protected:
  static const Claim& Find(const std::string& words) {
    static const std::vector<Claim> claims = CheckClaims(
        {.effort = {.rounds = 1, .round_ms = 0.1, .name_sets = 10}}, KeyHashes(1, 20'000));
    const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) {
      return claim.claim.find(words) != std::string::npos;
    });
    EXPECT_NE(found, claims.end()) << words;
    return *found;
  }
};

TEST_F(Claims, OfModuloHold) {
  EXPECT_NEAR(Find("80 % of the keys").measured, 80, 1);
  EXPECT_TRUE(Find("80 % of the keys").holds());
  EXPECT_NEAR(Find("90 % of the keys").measured, 90, 1);
  EXPECT_TRUE(Find("90 % of the keys").holds());
}

TEST_F(Claims, OfRingsAreMeasured) {
  EXPECT_TRUE(Find("about 10 % of the keys").holds());
  EXPECT_TRUE(Find("1 / sqrt(V)").holds());
  EXPECT_TRUE(Find("bounded loads").holds());
  EXPECT_GT(Find("bounded loads").measured, 1.2);  // The bound was felt.
  // With 256 points a share spreads by 1 / 16; of ten nodes the fullest is far above 3 %.
  EXPECT_FALSE(Find("within 3 % of the mean (XXH3)").holds());
  EXPECT_GT(Find("within 8 % of the mean (XXH3)").measured, 5);
  EXPECT_LT(Find("within 8 % of the mean (XXH3)").measured, 20);
}

TEST_F(Claims, OfTimeAreTimes) {
  for (const char* words : {"78 ns for a lookup", "half of these 78 ns"}) {
    EXPECT_EQ(Find(words).unit, "ns");
    EXPECT_GT(Find(words).measured, 0);
  }
  EXPECT_GT(Find("O(1)").measured, 0);
}

TEST_F(Claims, JumpTakesNoMemoryForNodes) { EXPECT_EQ(Find("jump").measured, 0); }

// As a count of evenly spaced positions has it.
TEST(ArcShares, AreWhatLookupsFind) {
  const ring::Ring ring = *ring::Ring::Build({{"a", 1}, {"b", 1}, {"c", 1}}, {.points = 8});
  const std::vector<double> shares = ArcShares(ring, ring::kXxh3);
  constexpr int kPositions = 100'000;
  std::vector<double> counted(ring.nodes());
  for (uint64_t i = 0; i < kPositions; ++i) {
    counted[ring.Lookup(i * (UINT64_MAX / kPositions))] += 3.0 / kPositions;
  }
  for (size_t node = 0; node < 3; ++node) EXPECT_NEAR(shares[node], counted[node], 0.002);
  EXPECT_NEAR(shares[0] + shares[1] + shares[2], 3, 1e-9);
}

TEST(RingShares, CountsWhatIsWithin) {
  const RingShares shares = {.peaks = {1.02, 1.05, 1.09, 1.2}};
  EXPECT_EQ(shares.CountWithin(1.01), 0);
  EXPECT_EQ(shares.CountWithin(1.08), 2);
  EXPECT_EQ(shares.CountWithin(1.3), 4);
  EXPECT_EQ(shares.median(), 1.09);
}

}  // namespace
}  // namespace l4lb::lookup

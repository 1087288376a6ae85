// SPDX-License-Identifier: Apache-2.0
//
// Envoy's tables.  Its permutations are ours with XXH64 and seed 0; with equal weights its turns
// are ours too, so that Table itself makes its tables.  Its turns by weight are injected.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maglev/configuration.h"
#include "maglev/table.h"
#include "tests/golden/maglev_vectors.h"
#include "tests/maglev/layout.h"

namespace maglev {
namespace {

Options EnvoyOptions(uint32_t size) { return {.size = size, .seed = 0, .hash = Xxh64}; }

std::vector<Node> Hosts(size_t count, const std::string& prefix = "127.0.0.1:") {
  std::vector<Node> nodes;
  for (size_t i = 0; i < count; ++i) nodes.push_back({prefix + std::to_string(90 + i), 1});
  return nodes;
}

// In round r a host has a turn unless r x weight is below its target, which begins at 0 and rises
// by the greatest weight with each turn.
auto EnvoyTurns(const std::vector<double>& weights) {
  return [weights](auto take) {
    const double heaviest = *std::max_element(weights.begin(), weights.end());
    std::vector<double> targets(weights.size());
    for (int round = 1;; ++round) {
      for (uint32_t host = 0; host < weights.size(); ++host) {
        if (round * weights[host] < targets[host]) continue;
        targets[host] += heaviest;
        if (!take(host)) return;
      }
    }
  };
}

Owners EnvoyTable(uint32_t size, const std::vector<double>& weights) {
  std::vector<Permutation> permutations;
  for (const Node& node : Hosts(weights.size())) {
    permutations.push_back(PermutationOf(node.key, EnvoyOptions(size)));
  }
  return FillBy(size, permutations, EnvoyTurns(weights));
}

TEST(EnvoyMaglevTest, SixHosts) {
  EXPECT_EQ(OwnersOf(*Table::Build(Hosts(6), EnvoyOptions(7))), FromDigits(golden::kEnvoySixHosts));
  EXPECT_EQ(OwnersOf(*Table::Build(Hosts(6, ""), EnvoyOptions(7))),
            FromDigits(golden::kEnvoySixHashKeys));
}

TEST(EnvoyMaglevTest, RetriesGoToOtherSlots) {
  const Table table = *Table::Build(Hosts(6), EnvoyOptions(7));
  uint64_t hash = 10;
  uint64_t attempt = 0;
  for (const uint32_t host : golden::kEnvoyRetriesOfHash10) {
    if (attempt > 0) hash = 10 ^ (~uint64_t{0} - attempt + 1);
    EXPECT_EQ(table.Lookup(hash), host) << "attempt " << attempt;
    ++attempt;
  }
}

TEST(EnvoyMaglevTest, Weights) {
  EXPECT_EQ(OwnersOf(*Table::Build(Hosts(2), EnvoyOptions(17))),
            FromDigits(golden::kEnvoyTwoEqual));
  EXPECT_EQ(EnvoyTable(17, {0.5, 0.5}), FromDigits(golden::kEnvoyTwoEqual));
  EXPECT_EQ(EnvoyTable(17, {1. / 3, 2. / 3}), FromDigits(golden::kEnvoyWeights1And2));
  EXPECT_EQ(EnvoyTable(17, {0.8, 0.2}), FromDigits(golden::kEnvoyLocalityWeights8And2));
}

TEST(EnvoyMaglevTest, SharesOfLargeTable) {
  const std::vector<uint32_t> shares = Shares(EnvoyTable(65537, {1. / 3, 2. / 3}), 2);
  EXPECT_EQ(shares[0], golden::kEnvoySharesOfWeights1And2[0]);
  EXPECT_EQ(shares[1], golden::kEnvoySharesOfWeights1And2[1]);
}

// Its test of lopsided weights: 1,023 hosts share a locality of weight 1, one has one of 127.
TEST(EnvoyMaglevTest, EveryLightHostHasOneSlot) {
  std::vector<double> weights(1024, 1. / 128 / 1023);
  weights[0] = 127. / 128;
  std::vector<uint32_t> expected(1024, 1);
  expected[0] = 65537 - 1023;
  EXPECT_EQ(Shares(EnvoyTable(65537, weights), 1024), expected);

  std::vector<Node> nodes = Hosts(1024);
  nodes[0].weight = 127 * 1023;
  const Table table = *Table::Build(nodes, EnvoyOptions(65537));
  const std::vector<uint32_t> shares = Shares(OwnersOf(table), 1024);
  for (uint32_t node = 0; node < 1024; ++node) {
    EXPECT_EQ(shares[node], table.weight(node) > 1 ? 65537 - 1023 : 1);
  }
}

}  // namespace
}  // namespace maglev

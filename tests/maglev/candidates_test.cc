// SPDX-License-Identifier: Apache-2.0
#include "maglev/candidates.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/maglev/layout.h"
#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 57;

std::vector<uint32_t> AllCandidates(const Table& table, uint64_t hash) {
  std::vector<uint32_t> nodes;
  Candidates candidates(table, hash);
  for (std::optional<uint32_t> node; (node = candidates.Next());) nodes.push_back(*node);
  return nodes;
}

TEST(CandidatesTest, EveryNodeThatOwnsSlotsOnce) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1000; ++i) {
    std::vector<uint32_t> weights(dice.Below(300) + 1);
    for (uint32_t& weight : weights) weight = static_cast<uint32_t>(dice.Below(3));
    weights[0] = 1;
    const Table table = *Table::Build(Named(weights), {.size = 1009});
    const uint64_t hash = dice.Below(UINT64_MAX);
    const std::vector<uint32_t> nodes = AllCandidates(table, hash);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    ASSERT_EQ(nodes.front(), table.Lookup(hash));
    std::set<uint32_t> expected;
    for (uint32_t node = 0; node < table.nodes(); ++node) {
      if (table.weight(node) > 0) expected.insert(node);
    }
    ASSERT_EQ(nodes.size(), expected.size());
    ASSERT_EQ(std::set<uint32_t>(nodes.begin(), nodes.end()), expected);
    ASSERT_EQ(AllCandidates(table, hash), nodes);
  }
}

TEST(CandidatesTest, TheDeadAreNone) {
  const Table full = *Table::Build(Named({1, 1, 1, 1}), {.size = 307});
  const bool alive[] = {true, false, true, false};
  const Table table = *full.WithAlive(alive);
  for (uint64_t hash = 0; hash < 307; ++hash) {
    const std::vector<uint32_t> nodes = AllCandidates(table, hash);
    EXPECT_EQ(std::set<uint32_t>(nodes.begin(), nodes.end()), (std::set<uint32_t>{0, 2}));
  }
}

TEST(CandidatesTest, CapIsExact) {
  const Table table = *Table::Build(Named({1, 2, 5}), {.size = 307});
  EXPECT_EQ(LoadCap(table, 0, 0, 125), 1u);    // ceil(1.25 x 1 x 1 / 8)
  EXPECT_EQ(LoadCap(table, 1, 31, 125), 10u);  // 1.25 x 32 x 2 / 8 = 10
  EXPECT_EQ(LoadCap(table, 1, 32, 125), 11u);
  EXPECT_EQ(LoadCap(table, 2, 799, 100), 500u);
  EXPECT_EQ(LoadCap(table, 2, UINT64_MAX / 2, 100), 5764607523034234880u);
}

// Sessions come and go at random; none may ever be put where the cap is reached, and the pick is
// the first of the candidates that has room.
TEST(CandidatesTest, PicksStayBelowTheCap) {
  l4lb::Dice dice(kSeed);
  for (const uint32_t percent : {100, 110, 125, 200}) {
    const Table table = *Table::Build(Named({1, 1, 2, 3, 0, 7, 1, 1, 1, 1}), {.size = 1009});
    std::vector<uint64_t> loads(table.nodes());
    std::vector<uint32_t> sessions;
    const auto load = [&](uint32_t node) { return loads[node]; };
    for (int i = 0; i < 1000; ++i) {
      if (dice.Chance(0.3) && !sessions.empty()) {
        std::swap(sessions[dice.Below(sessions.size())], sessions.back());
        --loads[sessions.back()];
        sessions.pop_back();
        continue;
      }
      const uint64_t hash = dice.Below(20);  // Few keys: hot spots.
      const uint32_t node = PickBounded(table, hash, sessions.size(), percent, load);
      ASSERT_LT(loads[node], LoadCap(table, node, sessions.size(), percent)) << "seed " << kSeed;
      for (const uint32_t candidate : AllCandidates(table, hash)) {
        if (candidate == node) break;
        ASSERT_GE(loads[candidate], LoadCap(table, candidate, sessions.size(), percent));
      }
      ++loads[node];
      sessions.push_back(node);
    }
  }
}

TEST(CandidatesTest, AllFullIsAsLookup) {
  const Table table = *Table::Build(Named({1, 1, 1}), {.size = 307});
  const auto full = [](uint32_t /*node*/) { return uint64_t{1000}; };
  for (uint64_t hash = 0; hash < 307; ++hash) {
    EXPECT_EQ(PickBounded(table, hash, 10, 125, full), table.Lookup(hash));
  }
}

// Double hashing: what one full node turns away goes to all others by weight.
TEST(CandidatesTest, OverflowIsSpreadByWeight) {
  const Table table = *Table::Build(Named({1, 1, 2, 4}), {.size = 65537});
  std::vector<uint32_t> second(4);
  for (uint32_t slot = 0; slot < table.size(); ++slot) {
    if (table.owner(slot) != 0) continue;
    Candidates candidates(table, slot);
    candidates.Next();
    ++second[*candidates.Next()];
  }
  const double sum = second[1] + second[2] + second[3];
  EXPECT_NEAR(second[1] / sum, 1. / 7, 0.02);
  EXPECT_NEAR(second[2] / sum, 2. / 7, 0.02);
  EXPECT_NEAR(second[3] / sum, 4. / 7, 0.02);
}

}  // namespace
}  // namespace maglev

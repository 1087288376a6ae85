// SPDX-License-Identifier: Apache-2.0
//
// Walks on a ring: replicas and bounded loads.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ring/ring.h"
#include "tests/ring/rings.h"

namespace ring {
namespace {

constexpr uint64_t kSeed = 63;

std::vector<uint32_t> ReplicasOf(const Ring& ring, uint64_t hash, size_t count) {
  std::vector<uint32_t> nodes(count, UINT32_MAX);
  nodes.resize(ring.Replicas(hash, absl::MakeSpan(nodes)));
  return nodes;
}

// The next replica is who owns the key when those before it are gone.
TEST(ReplicasTest, AreWhoFollowsWhenOthersAreRemoved) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    std::vector<Node> nodes = AnyNodes(dice, 9);
    const Options options = {.points = 5};
    const Ring ring = *Ring::Build(nodes, options);
    const uint64_t hash = dice.Below(UINT64_MAX);
    const auto weighted = static_cast<size_t>(std::count_if(
        nodes.begin(), nodes.end(), [](const Node& node) { return node.weight > 0; }));
    const std::vector<uint32_t> replicas = ReplicasOf(ring, hash, nodes.size() + 3);
    ASSERT_EQ(replicas.size(), weighted);
    for (const uint32_t replica : replicas) {
      const Ring left = *Ring::Build(nodes, options);
      ASSERT_EQ(left.key(left.Lookup(hash)), ring.key(replica));
      nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                               [&](const Node& node) { return node.key == ring.key(replica); }));
    }
    const size_t fewer = dice.Below(weighted + 1);
    ASSERT_EQ(ReplicasOf(ring, hash, fewer),
              std::vector<uint32_t>(replicas.begin(), replicas.begin() + static_cast<int>(fewer)));
  }
}

TEST(ReplicasTest, OfManyNodes) {
  const Ring ring = *Ring::Build(Named(std::vector<uint32_t>(2000, 1)), {.points = 2});
  const std::vector<uint32_t> replicas = ReplicasOf(ring, 7, 2000);
  EXPECT_EQ(replicas.size(), 2000u);
  EXPECT_EQ(std::set<uint32_t>(replicas.begin(), replicas.end()).size(), 2000u);
}

TEST(BoundedLoadTest, CapIsExact) {
  const Ring ring = *Ring::Build(Named({1, 2, 5}));
  EXPECT_EQ(ring.LoadCap(0, 0, 125), 1u);    // ceil(1.25 x 1 x 1 / 8)
  EXPECT_EQ(ring.LoadCap(1, 31, 125), 10u);  // 1.25 x 32 x 2 / 8 = 10
  EXPECT_EQ(ring.LoadCap(1, 32, 125), 11u);
}

// Sessions come and go at random; none is ever put where the cap is reached, and the pick is the
// first of the replicas that has room.
TEST(BoundedLoadTest, PicksStayBelowTheCap) {
  l4lb::Dice dice(kSeed);
  for (const uint32_t percent : {100, 110, 125, 200}) {
    const Ring ring = *Ring::Build(Named({1, 1, 2, 3, 0, 7, 1, 1, 1, 1}), {.points = 20});
    std::vector<uint64_t> loads(ring.nodes());
    std::vector<uint32_t> sessions;
    for (int i = 0; i < 1000; ++i) {
      if (dice.Chance(0.3) && !sessions.empty()) {
        std::swap(sessions[dice.Below(sessions.size())], sessions.back());
        --loads[sessions.back()];
        sessions.pop_back();
        continue;
      }
      const uint64_t hash = dice.Below(20) << 59;  // Few keys: hot spots.
      const auto has_room = [&](uint32_t node) {
        return loads[node] < ring.LoadCap(node, sessions.size(), percent);
      };
      const uint32_t node =
          ring.PickBounded(hash, sessions.size(), percent, [&](uint32_t n) { return loads[n]; });
      ASSERT_TRUE(has_room(node)) << "seed " << kSeed;
      const std::vector<uint32_t> replicas = ReplicasOf(ring, hash, ring.nodes());
      ASSERT_EQ(node, *std::find_if(replicas.begin(), replicas.end(), has_room));
      ++loads[node];
      sessions.push_back(node);
    }
  }
}

TEST(BoundedLoadTest, AllFullIsAsLookup) {
  const Ring ring = *Ring::Build(Named({1, 1, 1}));
  for (uint64_t hash = 0; hash < 16; ++hash) {
    EXPECT_EQ(ring.PickBounded(hash << 60, 10, 125, [](uint32_t) { return uint64_t{1000}; }),
              ring.Lookup(hash << 60));
  }
  EXPECT_EQ(ring.FirstAccepted(5, [](uint32_t) { return false; }), std::nullopt);
}

}  // namespace
}  // namespace ring

// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/ring/rings.h"

namespace ring {
namespace {

constexpr uint64_t kSeed = 62;

// Of few different points, so that many are equal.
void CoarsePoints(std::string_view key, uint64_t seed, absl::Span<uint64_t> points) {
  kXxh3.points(key, seed, points);
  for (uint64_t& point : points) point %= 50;
}
uint64_t CoarseHash(std::string_view bytes, uint64_t seed) { return kXxh3.hash(bytes, seed) % 50; }
constexpr Hash kCoarse = {32, CoarsePoints, CoarseHash};

std::string ErrorOf(const std::vector<Node>& nodes, uint32_t points = 256) {
  const absl::StatusOr<Ring> ring = Ring::Build(nodes, {.points = points});
  EXPECT_EQ(ring.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(ring.status().message());
}

TEST(RingTest, RefusesWhatCannotBe) {
  EXPECT_EQ(ErrorOf({}), "there are no nodes");
  EXPECT_EQ(ErrorOf({{"a\t", 1}, {"b", 1}, {"a\t", 2}}), "the key \"a\\t\" occurs twice");
  EXPECT_EQ(ErrorOf({{"a", 0}, {"b", 0}}), "all weights are 0");
  EXPECT_EQ(ErrorOf({{"a", 1}}, 0), "a ring needs at least one point per node");
  EXPECT_EQ(ErrorOf({{"a", 1000000}}),
            "256 points for each unit of weight are 256000000 points, above the maximum of "
            "16777216");
  EXPECT_EQ(ErrorOf(Named(std::vector<uint32_t>(65537, 1)), 1),
            "65537 nodes are more than a ring can have, 65536");
}

TEST(RingTest, OwnersAreAsDefinedWhateverTheOrderOfInput) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    std::vector<Node> nodes = AnyNodes(dice, 12);
    Options options = {.points = static_cast<uint32_t>(dice.Below(9)) + 1, .seed = dice.Below(3)};
    options.hash = std::vector{kXxh3, kKetama, kFnv1a32, kCoarse}[dice.Below(4)];
    const Ring ring = *Ring::Build(nodes, options);
    dice.Shuffle(nodes);
    const Ring shuffled = *Ring::Build(nodes, options);
    ASSERT_EQ(shuffled.Checksum(), ring.Checksum());
    for (int j = 0; j < 20; ++j) {
      const std::string key = std::to_string(dice.Below(1000));
      const uint64_t hash = options.hash.hash(key, options.seed);
      ASSERT_EQ(ring.key(ring.Lookup(key)), OwnerOf(nodes, options, hash));
      ASSERT_EQ(shuffled.Lookup(hash), ring.Lookup(key));
    }
    for (uint32_t node = 0; node < ring.nodes(); ++node) {
      ASSERT_EQ(nodes[shuffled.input_position(node)].key, ring.key(node));
      ASSERT_EQ(nodes[shuffled.input_position(node)].weight, ring.weight(node));
    }
  }
}

// Whoever is added takes keys from others, and nobody else gets any.
TEST(RingTest, ChangesOfOneNodeMoveNoKeyBetweenOthers) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    std::vector<Node> nodes = AnyNodes(dice, 12);
    const Options options = {.points = 8, .hash = dice.Chance(0.5) ? kXxh3 : kCoarse};
    const Ring before = *Ring::Build(nodes, options);
    std::string changed = "node-new";
    if (dice.Chance(0.5)) {
      nodes.push_back({changed, 2});
    } else {
      changed = nodes.back().key;
      nodes.back().weight += 3;
    }
    const Ring after = *Ring::Build(nodes, options);
    for (int j = 0; j < 50; ++j) {
      const std::string key = std::to_string(j);
      const std::string& owner = after.key(after.Lookup(key));
      if (owner == changed) continue;
      ASSERT_EQ(before.key(before.Lookup(key)), owner);
    }
  }
}

TEST(RingTest, WithAliveIsTheRingWithoutTheDead) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    const std::vector<Node> nodes = AnyNodes(dice, 9);  // So few that they are in order.
    const Options options = {.points = 8, .hash = dice.Chance(0.5) ? kXxh3 : kCoarse};
    const Ring ring = *Ring::Build(nodes, options);
    const std::unique_ptr<bool[]> alive(new bool[nodes.size()]);
    std::vector<Node> living;
    uint32_t weight_sum = 0;
    for (size_t node = 0; node < nodes.size(); ++node) {
      alive[node] = dice.Chance(0.6);
      if (alive[node]) living.push_back(nodes[node]);
      if (alive[node]) weight_sum += nodes[node].weight;
    }
    const absl::StatusOr<Ring> overlay =
        ring.WithAlive(absl::MakeConstSpan(alive.get(), nodes.size()));
    if (weight_sum == 0) {
      ASSERT_EQ(overlay.status().code(), absl::StatusCode::kFailedPrecondition);
      continue;
    }
    const Ring without = *Ring::Build(living, options);
    ASSERT_EQ(overlay->points(), without.points());
    for (int j = 0; j < 50; ++j) {
      const std::string key = std::to_string(j);
      ASSERT_EQ(overlay->key(overlay->Lookup(key)), without.key(without.Lookup(key)));
    }
    std::fill_n(alive.get(), nodes.size(), true);
    ASSERT_EQ(overlay->WithAlive(absl::MakeConstSpan(alive.get(), nodes.size()))->Checksum(),
              ring.Checksum());
  }
  const bool one[] = {true};
  EXPECT_EQ(Ring::Build(Named({1, 1}))->WithAlive(one).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RingTest, Extremes) {
  const Ring one = *Ring::Build({{"only", 1}}, {.points = 1});
  EXPECT_EQ(one.points(), 1u);
  for (const uint64_t hash : {uint64_t{0}, one.point(0), one.point(0) + 1, UINT64_MAX}) {
    EXPECT_EQ(one.Lookup(hash), 0u);
  }
  std::vector<uint32_t> weights(3, 1);
  weights[1] = 0;
  const Ring ring = *Ring::Build(Named(weights));
  EXPECT_EQ(ring.points(), 512u);
  for (size_t i = 0; i < ring.points(); ++i) EXPECT_NE(ring.point_node(i), 1u);
}

// Literal, and computed by a program of another language: whoever changes these moves the keys of
// every user.
TEST(RingTest, LayoutsNeverChange) {
  const Ring ring = *Ring::Build(Named({1, 2, 1}), {.points = 2});
  const std::vector<uint32_t> owners = {1, 1, 2, 0, 1, 1, 0, 2};
  ASSERT_EQ(ring.points(), owners.size());
  for (size_t i = 0; i < owners.size(); ++i) EXPECT_EQ(ring.point_node(i), owners[i]) << i;
  EXPECT_EQ(ring.point(0), 698572110482834809u);
  EXPECT_EQ(Ring::Build(Named({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))->Checksum(), 1573097342364163837u);
}

}  // namespace
}  // namespace ring

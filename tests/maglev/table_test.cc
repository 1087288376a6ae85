// SPDX-License-Identifier: Apache-2.0
#include "maglev/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maglev/prime.h"
#include "tests/maglev/layout.h"
#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 55;

std::string ErrorOf(const std::vector<Node>& nodes, uint32_t size = 65537) {
  const absl::StatusOr<Table> table = Table::Build(nodes, {.size = size});
  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(table.status().message());
}

TEST(TableTest, RefusesWhatCannotBe) {
  EXPECT_EQ(ErrorOf({}), "there are no nodes");
  EXPECT_EQ(ErrorOf({{"a", 1}, {"b\n", 1}, {"c", 1}, {"b\n", 2}}), "the key \"b\\n\" occurs twice");
  EXPECT_EQ(ErrorOf({{"a", 0}, {"b", 0}}), "all weights are 0");
  EXPECT_EQ(ErrorOf({{"a", 1}}, 65536), "table size 65536 is not prime; the next prime is 65537");
  EXPECT_EQ(ErrorOf({{"a", 1}}, 0), "table size 0 is not prime; the next prime is 2");
  EXPECT_EQ(ErrorOf({{"a", 1}, {"b", 0}, {"c", 1}, {"d", 1}}, 2),
            "table size 2 is below the number of nodes with a weight, 3");
  EXPECT_EQ(ErrorOf({{"a", 1}}, 2147483647),
            "table size 2147483647 is above the maximum of 134217728");
}

TEST(TableTest, WarnsBelowAHundredSlotsPerNode) {
  EXPECT_EQ(Table::Build(Named({1, 1, 1}), {.size = 307})->warning(), "");
  EXPECT_EQ(Table::Build(Named({1, 1, 1}), {.size = 293})->warning(),
            "table size 293 is below 100 x 3 nodes: shares may differ by more than 1 %; better is "
            "307");
}

TEST(TableTest, SmallestTable) {
  const Table table = *Table::Build({{"b", 1}, {"a", 1}}, {.size = 2});
  EXPECT_EQ(Shares(OwnersOf(table), 2), (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(table.key(0), "a");
  EXPECT_EQ(table.input_position(0), 1u);
}

TEST(TableTest, LookupIsTheRemainder) {
  const Table table = *Table::Build(Named({3, 1, 2}), {.size = 307});
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t hash = dice.Below(UINT64_MAX);
    ASSERT_EQ(table.Lookup(hash), table.owner(static_cast<uint32_t>(hash % 307)));
  }
  EXPECT_EQ(table.Lookup("192.0.2.1:80"), table.Lookup(Xxh3("192.0.2.1:80", 0)));
  const Table seeded = *Table::Build(Named({3, 1, 2}), {.size = 307, .seed = 9});
  EXPECT_EQ(seeded.Lookup("192.0.2.1:80"), seeded.Lookup(Xxh3("192.0.2.1:80", 9)));
  EXPECT_NE(OwnersOf(seeded), OwnersOf(table));
}

std::vector<Node> AnyNodes(l4lb::Dice& dice) {
  std::vector<Node> nodes(dice.Below(30) + 1);
  const uint64_t bound = uint64_t{1} << dice.Below(20);
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].key = std::to_string(dice.Below(1000)) + '\0' + std::to_string(i);
    nodes[i].weight = static_cast<uint32_t>(dice.Below(bound));
  }
  nodes[0].weight = 1;
  return nodes;
}

// What must hold for any nodes.
void ExpectGoodShares(const Table& table) {
  const std::vector<uint32_t> shares = Shares(OwnersOf(table), table.nodes());
  uint32_t heaviest = 0;
  for (uint32_t node = 0; node < table.nodes(); ++node) {
    heaviest = std::max(heaviest, table.weight(node));
  }
  for (uint32_t node = 0; node < table.nodes(); ++node) {
    ASSERT_EQ(shares[node] == 0, table.weight(node) == 0) << table.key(node);
    for (uint32_t other = 0; other < table.nodes(); ++other) {
      if (table.weight(other) != table.weight(node)) continue;
      ASSERT_LE(shares[node], shares[other] + 1);
    }
  }
}

TEST(TableTest, AnyOrderOfInputMakesTheSameTable) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i));
    std::vector<Node> nodes = AnyNodes(dice);
    const uint32_t size = NextPrime(static_cast<uint32_t>(nodes.size() + dice.Below(500)));
    const Options options = {.size = size, .seed = dice.Below(3)};
    const Table table = *Table::Build(nodes, options);
    ASSERT_NO_FATAL_FAILURE(ExpectGoodShares(table));
    dice.Shuffle(nodes);
    const Table shuffled = *Table::Build(nodes, options);
    ASSERT_EQ(OwnersOf(shuffled), OwnersOf(table));
    ASSERT_EQ(shuffled.Checksum(), table.Checksum());
    for (uint32_t node = 0; node < table.nodes(); ++node) {
      ASSERT_EQ(shuffled.key(node), table.key(node));
      ASSERT_EQ(nodes[shuffled.input_position(node)].key, table.key(node));
    }
  }
}

TEST(TableTest, OnlyTheRatioOfWeightsMatters) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 300; ++i) {
    std::vector<Node> nodes = AnyNodes(dice);
    const Table table = *Table::Build(nodes, {.size = 1009});
    for (Node& node : nodes) node.weight *= 6;
    const Table heavier = *Table::Build(nodes, {.size = 1009});
    ASSERT_EQ(OwnersOf(heavier), OwnersOf(table)) << "seed " << kSeed << ", case " << i;
    ASSERT_EQ(heavier.Checksum(), table.Checksum());
  }
}

// Cilium's bound: as long as there are 100 slots per node, less than 1 % of all change beside those
// of the node that leaves.
TEST(TableTest, FewSlotsOfOthersChangeWhenANodeLeaves) {
  for (const size_t count : {2, 10, 100, 600}) {
    std::vector<Node> nodes = Named(std::vector<uint32_t>(count, 1));
    const Table before = *Table::Build(nodes);
    const std::string gone = nodes[count / 2].key;
    nodes.erase(nodes.begin() + static_cast<int>(count / 2));
    const Table after = *Table::Build(nodes);
    uint32_t extra = 0;
    for (uint32_t slot = 0; slot < before.size(); ++slot) {
      const std::string& owner = before.key(before.owner(slot));
      extra += owner != gone && owner != after.key(after.owner(slot)) ? 1 : 0;
    }
    EXPECT_LT(extra, before.size() / 100) << count << " nodes";
  }
}

TEST(TableTest, ChecksumTellsTablesApart) {
  const std::vector<Node> nodes = Named({1, 2, 3});
  const uint64_t checksum = Table::Build(nodes, {.size = 307})->Checksum();
  std::vector<Node> shuffled = {nodes[2], nodes[0], nodes[1]};
  EXPECT_EQ(Table::Build(shuffled, {.size = 307})->Checksum(), checksum);
  EXPECT_NE(Table::Build(nodes, {.size = 311})->Checksum(), checksum);
  EXPECT_NE(Table::Build(nodes, {.size = 307, .seed = 1})->Checksum(), checksum);
  EXPECT_NE(Table::Build(Named({1, 2, 4}), {.size = 307})->Checksum(), checksum);
  EXPECT_NE(Table::Build({{"node-0", 1}}, {.size = 307})->Checksum(),
            Table::Build({{"node-1", 1}}, {.size = 307})->Checksum());
}

// Literal, the first two computed by a program of another language too: whoever changes these moves
// the flows of every user.
TEST(TableTest, LayoutsNeverChange) {
  const Table small = *Table::Build(Named({1, 2, 4}), {.size = 31});
  EXPECT_EQ(OwnersOf(small), FromDigits("0221210221201122202211222212120"));
  const Table large = *Table::Build(Named({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(large.Checksum(), 17402391884979397270u);
  const Table other =
      *Table::Build(Named(std::vector<uint32_t>(300, 1)), {.size = 655373, .seed = 7});
  EXPECT_EQ(other.Checksum(), 1438826649108358117u);
}

TEST(TableTest, LopsidedWeightsAreNotSlow) {
  std::vector<uint32_t> weights(1000, 1);
  weights[500] = 1000000;
  const Table table = *Table::Build(Named(weights));
  const std::vector<uint32_t> shares = Shares(OwnersOf(table), 1000);
  for (uint32_t node = 0; node < 1000; ++node) {
    EXPECT_EQ(shares[node], table.weight(node) == 1 ? 1 : 65537 - 999);
  }
}

}  // namespace
}  // namespace maglev

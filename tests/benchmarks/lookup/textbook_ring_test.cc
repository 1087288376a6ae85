// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/textbook_ring.h"

#include <gtest/gtest.h>

#include "ring/ring.h"

namespace lookup {
namespace {

// ring::Ring with the same hash says the same: the two were written apart.
TEST(TextbookRingTest, IsTheRingOfFnv1a) {
  const std::vector<ring::Node> nodes = {{"node-a", 1}, {"node-b", 3}, {"node-c", 2}};
  TextbookRing textbook(50);
  EXPECT_EQ(textbook.Lookup("key"), std::nullopt);
  for (const ring::Node& node : nodes) textbook.Add(node.key, node.weight);
  const ring::Ring ring = *ring::Ring::Build(nodes, {.points = 50, .hash = ring::kFnv1a32});
  for (int i = 0; i < 10000; ++i) {
    const std::string key = "key-" + std::to_string(i);
    ASSERT_EQ(textbook.Lookup(key), ring.Lookup(key)) << key;
  }
}

}  // namespace
}  // namespace lookup

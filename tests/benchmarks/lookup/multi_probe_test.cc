// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/multi_probe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "benchmarks/lookup/mix.h"

namespace lookup {
namespace {

std::vector<std::string> Keys(size_t count) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < count; ++i) keys.push_back("node-" + std::to_string(i));
  return keys;
}

TEST(MultiProbeTest, ANewNodeTakesAndNobodyElseDoes) {
  const MultiProbe before(Keys(20));
  const MultiProbe after(Keys(21));
  int moved = 0;
  for (uint64_t key = 0; key < 20000; ++key) {
    const uint32_t owner = after.Lookup(Mix(key));
    if (owner == 20) {
      ++moved;
    } else {
      ASSERT_EQ(before.Lookup(Mix(key)), owner);
    }
  }
  EXPECT_GT(moved, 0);
}

// The paper: with 21 probes the peak is 1.05 times the mean.  That is for many nodes; for a hundred
// it is up to 1.09 by chance, and 4,000 keys of each add up to 5 %.  One probe would make it 4
// to 6.
TEST(MultiProbeTest, PeakIsNearTheMean) {
  const MultiProbe nodes(Keys(100));
  std::vector<int> shares(100);
  for (uint64_t key = 0; key < 400000; ++key) ++shares[nodes.Lookup(Mix(key))];
  EXPECT_LT(*std::max_element(shares.begin(), shares.end()), 4000 * 1.15);
}

}  // namespace
}  // namespace lookup

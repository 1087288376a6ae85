// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/rendezvous.h"

#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/lookup/mix.h"
#include "tests/support/dice.h"

namespace lookup {
namespace {

constexpr uint64_t kSeed = 71;

TEST(RendezvousTest, Log2) {
  l4lb::Dice dice(kSeed);
  EXPECT_EQ(Log2(1), 0u);
  EXPECT_EQ(Log2(uint64_t{1} << 63), uint64_t{63} << 32);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t number = (dice.Below(UINT64_MAX) >> dice.Below(64)) | 1;
    ASSERT_NEAR(static_cast<double>(Log2(number)) * 0x1p-32, std::log2(number), 0x1p-18) << number;
    ASSERT_LE(Log2(number), Log2(number + 1)) << number;
  }
}

TEST(RendezvousTest, OnlyKeysOfTheRemovedMove) {
  const std::vector<std::string> keys = {"a", "b", "c", "d"};
  const std::vector<std::string> less = {"d", "a", "c"};  // In another order.
  for (const std::vector<uint32_t>& weights : {std::vector<uint32_t>{1, 1, 1, 1}, {1, 2, 3, 4}}) {
    const Rendezvous before(keys, weights);
    const Rendezvous after(less, {weights[3], weights[0], weights[2]});
    for (uint64_t key = 0; key < 2000; ++key) {
      const std::string& owner = keys[before.Lookup(Mix(key))];
      if (owner == "b") continue;
      ASSERT_EQ(less[after.Lookup(Mix(key))], owner);
    }
  }
}

TEST(RendezvousTest, SharesByWeight) {
  const std::vector<std::string> keys = {"a", "b", "c", "d"};
  const Rendezvous rendezvous(keys, {1, 0, 3, 6});
  std::vector<double> shares(4);
  for (uint64_t key = 0; key < 100000; ++key) shares[rendezvous.Lookup(Mix(key))] += 1e-5;
  EXPECT_NEAR(shares[0], 0.1, 0.005);
  EXPECT_EQ(shares[1], 0);
  EXPECT_NEAR(shares[2], 0.3, 0.005);
  EXPECT_NEAR(shares[3], 0.6, 0.005);
}

TEST(RendezvousTest, EqualWeightsAreAsNone) {
  const std::vector<std::string> keys = {"a", "b", "c", "d", "e"};
  const Rendezvous equal(keys);
  const Rendezvous nearly(keys, {1000, 1000, 1000, 1000, 1001});
  int different = 0;
  for (uint64_t key = 0; key < 10000; ++key) {
    different += equal.Lookup(Mix(key)) != nearly.Lookup(Mix(key)) ? 1 : 0;
  }
  EXPECT_LE(different, 20);
}

}  // namespace
}  // namespace lookup

// SPDX-License-Identifier: Apache-2.0
#include "maglev/filler.h"

#include <gtest/gtest.h>

#include "maglev/prime.h"
#include "tests/maglev/layout.h"
#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 53;

std::vector<Permutation> AnyPermutations(l4lb::Dice& dice, uint32_t size, uint64_t nodes) {
  std::vector<Permutation> permutations;
  for (uint64_t i = 0; i < nodes; ++i) {
    permutations.push_back(
        {static_cast<uint32_t>(dice.Below(size)), static_cast<uint32_t>(dice.Below(size - 1)) + 1});
  }
  return permutations;
}

// The paper's pseudocode 1, turns given by `turn`.
Owners Plainly(uint32_t size, const std::vector<Permutation>& permutations,
               const std::vector<uint32_t>& turns) {
  constexpr uint32_t kFree = UINT32_MAX;
  Owners owners(size, kFree);
  std::vector<uint64_t> next(permutations.size());
  for (const uint32_t node : turns) {
    const auto& [offset, skip] = permutations[node];
    uint64_t slot;
    do slot = (offset + next[node]++ * skip) % size;
    while (owners[slot] != kFree);
    owners[slot] = node;
  }
  return owners;
}

TEST(FillerTest, AnyTurnsFillAsThePlainAlgorithmDoes) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const uint32_t size = NextPrime(static_cast<uint32_t>(dice.Below(i % 100 == 0 ? 20000 : 300)));
    const uint64_t nodes = dice.Below(20) + 1;
    const std::vector<Permutation> permutations = AnyPermutations(dice, size, nodes);
    std::vector<uint32_t> turns(size);
    for (uint32_t& turn : turns) turn = static_cast<uint32_t>(dice.Below(nodes));
    size_t next = 0;
    const Owners owners = FillBy(size, permutations, [&](auto take) {
      while (take(turns[next++])) {
      }
    });
    ASSERT_EQ(owners, Plainly(size, permutations, turns))
        << "seed " << kSeed << ", case " << i << ", " << size << " slots, " << nodes << " nodes";
  }
}

// The worst case: all want the same slots.
TEST(FillerTest, IdenticalPermutations) {
  constexpr uint32_t kSize = 1009;
  const std::vector<Permutation> permutations(kSize, {5, 3});
  std::vector<uint32_t> turns;
  for (uint32_t node = 0; node < kSize; ++node) turns.push_back(node);
  EXPECT_EQ(FillBy(kSize, permutations, InTurn(kSize)), Plainly(kSize, permutations, turns));
}

TEST(FillerTest, SmallestTables) {
  EXPECT_EQ(FillBy(2, {{1, 1}, {1, 1}}, InTurn(2)), (Owners{1, 0}));
  EXPECT_EQ(FillBy(3, {{1, 1}, {1, 1}}, InTurn(2)), (Owners{0, 0, 1}));
}

}  // namespace
}  // namespace maglev

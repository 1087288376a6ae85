// SPDX-License-Identifier: Apache-2.0
//
// The examples of the Maglev paper and of go-maglev.

#include <gtest/gtest.h>

#include <string>

#include "maglev/filler.h"
#include "tests/golden/maglev_vectors.h"
#include "tests/golden/reference_hashes.h"
#include "tests/maglev/layout.h"

namespace maglev {
namespace {

constexpr uint32_t kSize = 7;

std::vector<Permutation> ToPermutations(const uint32_t (&pairs)[3][2]) {
  std::vector<Permutation> permutations;
  for (const auto& [offset, skip] : pairs) permutations.push_back({offset, skip});
  return permutations;
}

// The slots of a permutation in its order: alone, a node takes them all.
Owners InOrder(const Permutation& permutation) {
  Owners order;
  Filler filler(kSize, {permutation});
  while (filler.left() > 0) order.push_back(filler.Take(0));
  return order;
}

// Nodes 0 and 2 in turn.
Owners Without1(const std::vector<Permutation>& permutations) {
  return FillBy(kSize, permutations, [](auto take) {
    while (take(0) && take(2)) {
    }
  });
}

TEST(MaglevPaperTest, Table1) {
  const std::vector<Permutation> permutations = ToPermutations(golden::kPaperPermutations);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(InOrder(permutations[i]), FromDigits(golden::kPaperSlotsOfEach[i]));
  }
  EXPECT_EQ(FillBy(kSize, permutations, InTurn(3)), FromDigits(golden::kPaperBefore));
  EXPECT_EQ(Without1(permutations), FromDigits(golden::kPaperWithoutB1));
}

TEST(GoMaglevTest, SipHashIsRight) {
  std::string input(15, '\0');
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i);
  EXPECT_EQ(golden::SipHash24(input, 0x0706050403020100, 0x0f0e0d0c0b0a0908),
            golden::kSipHashOfPaper);
}

TEST(GoMaglevTest, ThreeBackends) {
  std::vector<Permutation> permutations;
  for (int i = 0; i < 3; ++i) {
    const uint64_t hash = golden::SipHash24(
        "backend-" + std::to_string(i), golden::kGoMaglevSipKeys[0], golden::kGoMaglevSipKeys[1]);
    permutations.push_back({static_cast<uint32_t>((hash >> 32) % kSize),
                            static_cast<uint32_t>((hash & 0xffffffff) % (kSize - 1) + 1)});
  }
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(permutations[i].offset, golden::kGoMaglevPermutations[i][0]);
    EXPECT_EQ(permutations[i].skip, golden::kGoMaglevPermutations[i][1]);
    EXPECT_EQ(InOrder(permutations[i]), FromDigits(golden::kGoMaglevSlotsOfEach[i]));
  }
  EXPECT_EQ(FillBy(kSize, permutations, InTurn(3)), FromDigits(golden::kGoMaglevTable));
  EXPECT_EQ(Without1(permutations), FromDigits(golden::kGoMaglevWithout1));
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// Katran's two versions: how many slots change, which takes every slot to be right.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/golden/maglev_vectors.h"
#include "tests/golden/reference_hashes.h"
#include "tests/maglev/layout.h"

namespace maglev {
namespace {

constexpr uint32_t kSize = 65537;

struct Real {
  uint64_t hash = 0;
  uint32_t weight = 0;
};
using Reals = std::vector<Real>;

// Of two numbers, as sixteen bytes.
uint64_t Murmur(uint64_t a, uint64_t b, uint32_t seed) {
  std::string bytes;
  for (const uint64_t number : {a, b}) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
  }
  return golden::Murmur3(bytes, seed)[0];
}

std::vector<Permutation> PermutationsOf(const Reals& reals) {
  std::vector<Permutation> permutations;
  for (const Real& real : reals) {
    permutations.push_back(
        {static_cast<uint32_t>(Murmur(real.hash, 42, 0) % kSize),
         static_cast<uint32_t>(Murmur(real.hash, 2718281828, 2307) % (kSize - 1) + 1)});
  }
  return permutations;
}

// In the first round as many turns as the weight says, later one each.
Owners V1(const Reals& reals) {
  return FillBy(kSize, PermutationsOf(reals), [&](auto take) {
    for (uint32_t real = 0; real < reals.size(); ++real) {
      for (uint32_t i = 0; i < reals[real].weight; ++i) {
        if (!take(real)) return;
      }
    }
    InTurn(static_cast<uint32_t>(reals.size()))(take);
  });
}

// By stride, from 0.
Owners V2(const Reals& reals) {
  return FillBy(kSize, PermutationsOf(reals), [&](auto take) {
    uint32_t heaviest = 0;
    for (const Real& real : reals) heaviest = std::max(heaviest, real.weight);
    std::vector<uint32_t> sums(reals.size());
    for (;;) {
      for (uint32_t real = 0; real < reals.size(); ++real) {
        sums[real] += reals[real].weight;
        if (sums[real] < heaviest) continue;
        sums[real] -= heaviest;
        if (!take(real)) return;
      }
    }
  });
}

Reals Equal(uint64_t count, uint32_t weight) {
  Reals reals;
  for (uint64_t i = 0; i < count; ++i) reals.push_back({i, weight});
  return reals;
}

// With owners as hashes, so that those of lists of different length can be compared.
Owners ByHash(Owners owners, const Reals& reals) {
  for (uint32_t& owner : owners) owner = static_cast<uint32_t>(reals[owner].hash);
  return owners;
}

void ExpectDelta(const golden::KatranDelta& delta, const Reals& before, const Reals& after) {
  EXPECT_EQ(Changed(ByHash(V1(before), before), ByHash(V1(after), after)), delta.v1) << delta.what;
  EXPECT_EQ(Changed(ByHash(V2(before), before), ByHash(V2(after), after)), delta.v2) << delta.what;
}

TEST(KatranMaglevTest, Deltas) {
  const Reals reals = Equal(100, 10);
  ExpectDelta(golden::kKatranWithoutReal0, reals, Reals(reals.begin() + 1, reals.end()));
  const Reals heavier = Equal(100, 13);
  ExpectDelta(golden::kKatranAllTo13, reals, heavier);
  Reals one_of_26 = heavier;
  one_of_26[0].weight = 26;
  ExpectDelta(golden::kKatranReal0To26, heavier, one_of_26);
  ExpectDelta(golden::kKatranSecondReal, Equal(1, 10), Equal(2, 10));
}

TEST(KatranMaglevTest, Shares) {
  Reals reals = Equal(3, 0);
  for (size_t i = 0; i < 3; ++i) reals[i].weight = golden::kKatranWeights[i];
  const std::vector<uint32_t> v1 = Shares(V1(reals), 3);
  const std::vector<uint32_t> v2 = Shares(V2(reals), 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(v1[i], golden::kKatranV1Shares[i]);
    EXPECT_EQ(v2[i], golden::kKatranV2Shares[i]);
  }
}

TEST(KatranMaglevTest, EqualSharesDifferByOneSlot) {
  for (const Owners& owners : {V1(Equal(400, 1)), V2(Equal(400, 1))}) {
    const std::vector<uint32_t> shares = Shares(owners, 400);
    const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
    EXPECT_EQ(*most - *least, 1u);
  }
}

}  // namespace
}  // namespace maglev

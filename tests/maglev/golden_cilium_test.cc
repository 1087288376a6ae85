// SPDX-License-Identifier: Apache-2.0
//
// Cilium's weighted table, slot by slot.

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/golden/maglev_vectors.h"
#include "tests/golden/reference_hashes.h"
#include "tests/maglev/layout.h"

namespace maglev {
namespace {

std::vector<Permutation> PermutationsOf(uint32_t size) {
  std::vector<Permutation> permutations;
  for (const auto& [i, weight, id] : golden::kCiliumBackends) {
    const std::string text = absl::StrCat("[0.0.0.", i, ":", i, "/TCP,State:active]");
    const auto [first, second] = golden::Murmur3(text, golden::kCiliumSeed);
    permutations.push_back(
        {static_cast<uint32_t>(first % size), static_cast<uint32_t>(second % (size - 1) + 1)});
  }
  return permutations;
}

// For slot n the backends are asked from n % backends on, until one has
// (n + 1) x weight >= its counter, which begins at weight / backends and then rises by the sum of
// all weights.
template <class Take>
void CiliumTurns(Take take) {
  std::vector<uint32_t> weights;
  std::vector<double> counters;
  for (const auto& backend : golden::kCiliumBackends) {
    weights.push_back(backend.weight);
    counters.push_back(static_cast<double>(backend.weight) /
                       static_cast<double>(std::size(golden::kCiliumBackends)));
  }
  const uint32_t sum = std::accumulate(weights.begin(), weights.end(), 0u);
  for (uint64_t n = 0;; ++n) {
    size_t i = n % weights.size();
    while ((n + 1) * weights[i] < static_cast<uint64_t>(counters[i])) i = (i + 1) % weights.size();
    counters[i] += sum;
    if (!take(static_cast<uint32_t>(i))) return;
  }
}

Owners CiliumTable(uint32_t size) {
  return FillBy(size, PermutationsOf(size), [](auto take) { CiliumTurns(take); });
}

std::string RunLengths(const Owners& owners) {
  std::string text;
  for (size_t begin = 0; begin < owners.size();) {
    size_t end = begin;
    while (end < owners.size() && owners[end] == owners[begin]) ++end;
    if (begin > 0) text += ",";
    text += golden::kCiliumBackends[owners[begin]].id;
    text += "(" + std::to_string(end - begin) + ")";
    begin = end;
  }
  return text;
}

TEST(CiliumMaglevTest, WeightedTable) {
  EXPECT_EQ(RunLengths(CiliumTable(251)), golden::kCiliumTable);
}

TEST(CiliumMaglevTest, Shares) {
  const std::vector<uint32_t> shares = Shares(CiliumTable(1021), 4);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(shares[i], golden::kCiliumSharesOf1021[i]);
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/rendezvous.h"

#include <algorithm>
#include <array>
#include <bit>

#include "benchmarks/lookup/mix.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lookup {
namespace {

__extension__ using Wide = unsigned __int128;

// log2(1 + i / 256) in units of 2^-32, bit by bit: squaring doubles a logarithm.
constexpr uint64_t FractionLog2(uint64_t i) {
  Wide number = (Wide{256} + i) << 54;  // From 1 to 2, in units of 2^-62.
  uint64_t log = 0;
  for (int bit = 0; bit < 32; ++bit) {
    number = (number * number) >> 62;
    log <<= 1;
    if (number >= Wide{1} << 63) {
      number >>= 1;
      log |= 1;
    }
  }
  return log;
}

constexpr std::array<uint64_t, 257> MakeTable() {
  std::array<uint64_t, 257> table = {};
  for (uint64_t i = 0; i < 256; ++i) table[i] = FractionLog2(i);
  table[256] = uint64_t{1} << 32;
  return table;
}

constexpr std::array<uint64_t, 257> kTable = MakeTable();

}  // namespace

uint64_t Log2(uint64_t number) {
  const int zeros = std::countl_zero(number);
  const uint64_t scaled = number << zeros << 1;  // Without the leading one.
  const uint64_t i = scaled >> 56;
  const uint64_t part = (scaled >> 24) & 0xffffffff;
  const uint64_t between = ((kTable[i + 1] - kTable[i]) * part) >> 32;
  return (uint64_t{63} - static_cast<uint64_t>(zeros)) * (uint64_t{1} << 32) + kTable[i] + between;
}

Rendezvous::Rendezvous(absl::Span<const std::string> keys)
    : Rendezvous(keys, std::vector<uint32_t>(keys.size(), 1)) {}

Rendezvous::Rendezvous(absl::Span<const std::string> keys, absl::Span<const uint32_t> weights) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (weights[i] == 0) continue;
    nodes_.push_back(
        {XXH3_64bits(keys[i].data(), keys[i].size()), static_cast<uint32_t>(i), weights[i]});
    weighted_ = weighted_ || weights[i] != nodes_[0].weight;
  }
  std::sort(nodes_.begin(), nodes_.end(),
            [](const Node& a, const Node& b) { return a.seed < b.seed; });
}

uint32_t Rendezvous::Lookup(uint64_t hash) const {
  if (weighted_) return LookupWeighted(hash);
  uint64_t best = 0;
  uint32_t chosen = nodes_[0].index;
  for (const Node& node : nodes_) {
    const uint64_t drawn = Mix(hash ^ node.seed);
    chosen = drawn > best ? node.index : chosen;
    best = std::max(best, drawn);
  }
  return chosen;
}

uint32_t Rendezvous::LookupWeighted(uint64_t hash) const {
  const Node* best = nullptr;
  uint64_t best_cost = 0;
  uint64_t best_drawn = 0;
  for (const Node& node : nodes_) {
    const uint64_t drawn = Mix(hash ^ node.seed);
    const uint64_t cost = (uint64_t{64} << 32) - Log2(drawn | 1);
    if (best != nullptr) {  // cost / weight, compared by cross multiplication.
      const Wide mine = Wide{cost} * best->weight;
      const Wide others = Wide{best_cost} * node.weight;
      if (mine > others || (mine == others && drawn <= best_drawn)) continue;
    }
    best = &node;
    best_cost = cost;
    best_drawn = drawn;
  }
  return best->index;
}

}  // namespace lookup

// SPDX-License-Identifier: Apache-2.0
//
// Whose turn it is, by weight.  The k-th turn (from 0) of a node of weight w is in round
// 1 + ceil(k x heaviest / w); within a round nodes take turns by index.  So the heaviest has a turn
// in every round, and every node that has a weight has one in the first.
//
// Both functions below give the very same order, and stop when take() returns false.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "absl/types/span.h"

namespace maglev {

/// Weights sum to more than 0; one of 0 has no turns.  `take(node)` -> bool.
/// A turn costs O(nodes x heaviest / sum of weights).
template <class Take>
void TakeTurnsByStride(absl::Span<const uint32_t> weights, Take take) {
  struct Entry {
    uint32_t node;
    uint32_t weight;
    uint64_t saved;  // What it has saved up toward a turn, which costs as much as the heaviest.
  };
  std::vector<Entry> entries;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) entries.push_back({static_cast<uint32_t>(i), weights[i], 0});
  }
  const uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
  for (const Entry& entry : entries) {
    if (!take(entry.node)) return;
  }
  for (;;) {
    for (Entry& entry : entries) {
      entry.saved += entry.weight;
      if (entry.saved < heaviest) continue;
      entry.saved -= heaviest;
      if (!take(entry.node)) return;
    }
  }
}

/// The same order.  A turn costs O(log nodes) whatever the weights.
template <class Take>
void TakeTurnsByQueue(absl::Span<const uint32_t> weights, Take take) {
  struct Turn {
    uint64_t round;
    uint32_t node;
    uint32_t count;  // How many its node has had.
    bool operator>(const Turn& other) const {
      return std::tie(round, node) > std::tie(other.round, other.node);
    }
  };
  const uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) turns.push({0, static_cast<uint32_t>(i), 0});
  }
  while (!turns.empty()) {
    Turn turn = turns.top();
    turns.pop();
    do {  // Again without the queue while it is the earliest: a heavy one often is.
      if (!take(turn.node)) return;
      const uint64_t weight = weights[turn.node];
      turn.round = (++turn.count * heaviest + weight - 1) / weight;
    } while (turns.empty() || turns.top() > turn);
    turns.push(turn);
  }
}

/// Which of the two is faster.  Weights sum to more than 0.
bool AreLopsided(absl::Span<const uint32_t> weights);

/// Divides all by what they have in common, which does not change whose turn it is.
void DivideByCommonDivisor(absl::Span<uint32_t> weights);

}  // namespace maglev

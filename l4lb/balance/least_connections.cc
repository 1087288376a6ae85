// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/least_connections.h"

#include <algorithm>

namespace l4lb {
namespace {

constexpr size_t kBlock = Candidates::kBlock;

}  // namespace

LeastConnections::LeastConnections(absl::Span<const uint32_t> weights, PolicyStart start)
    : weights_(weights.begin(), weights.end()),
      rotation_(weights, start),
      seen_((weights.size() + kBlock - 1) / kBlock, kUnknown),
      best_(2 * std::max<size_t>(seen_.size(), 1)) {}

// Scores as cross products, which are exact: at most 2^32 x 1000.
bool LeastConnections::Rank::operator<(const Rank& other) const {
  const int64_t score = cost * other.weight;
  const int64_t other_score = other.cost * weight;
  if (score != other_score) return score < other_score;
  if (turn != other.turn) return turn < other.turn;
  return index < other.index;
}

LeastConnections::Rank LeastConnections::BestOf(const Candidates& candidates, size_t block) const {
  Rank best;
  const size_t end = std::min((block + 1) * kBlock, weights_.size());
  for (size_t i = block * kBlock; i < end; ++i) {
    if (weights_[i] == 0) continue;
    const int index = static_cast<int>(i);
    const int64_t active = candidates.Active(index);
    const int64_t cost = active == 0 ? 0 : active + 1;
    // Most are worse than what was found already: they cost no more than this.
    if (cost * best.weight > best.cost * weights_[i]) continue;
    const Rank rank = {cost, weights_[i], index, rotation_.turn(index)};
    if (rank < best && candidates.Eligible(index)) best = rank;
  }
  return best;
}

LeastConnections::Rank LeastConnections::BestOfAll(const Candidates& candidates) const {
  Rank best;
  for (size_t block = 0; block < Blocks(); ++block) {
    best = std::min(best, BestOf(candidates, block));
  }
  return best;
}

void LeastConnections::LookAtChanged(const Candidates& candidates) {
  const auto changes = candidates.changes();
  for (size_t block = 0; block < Blocks(); ++block) {
    // Read before the look, so that what changes meanwhile is seen by the next pick.
    const uint32_t change = changes[block].load(std::memory_order_acquire);
    if (seen_[block] == change) continue;
    seen_[block] = change;
    Replace(block, BestOf(candidates, block));
  }
}

void LeastConnections::Replace(size_t block, const Rank& best) {
  size_t node = Blocks() + block;
  best_[node] = best;
  for (node /= 2; node > 0; node /= 2) {
    best_[node] = std::min(best_[2 * node], best_[2 * node + 1]);
  }
}

int LeastConnections::Pick(const Candidates& candidates, uint64_t) {
  if (!candidates.narrowed()) LookAtChanged(candidates);
  const int index = candidates.narrowed() ? BestOfAll(candidates).index : best_[1].index;
  if (index == kNone) return kNone;
  rotation_.TakeAndWait(index);
  seen_[static_cast<size_t>(index) / kBlock] = kUnknown;  // Its next turn is another one.
  return index;
}

void LeastConnections::ContinueFrom(const Policy& previous) {
  if (const auto* same = dynamic_cast<const LeastConnections*>(&previous)) {
    rotation_.ContinueFrom(same->rotation_);
  }
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/weighted_draw.h"

#include <algorithm>
#include <numeric>

namespace l4lb {
namespace {

constexpr int kDraws = 4;         // The first and three more, before a scan.
constexpr int kDrawsOfOther = 2;  // Before a search, O(log N).

}  // namespace

WeightedDraw::WeightedDraw(absl::Span<const uint32_t> weights, uint64_t seed)
    : weights_(weights.begin(), weights.end()),
      table_(weights),
      cumulated_(weights.size()),
      random_(seed) {
  std::partial_sum(weights_.begin(), weights_.end(), cumulated_.begin());
}

int WeightedDraw::Draw(const Candidates& candidates) {
  if (table_.total() == 0) return Policy::kNone;
  for (int draws = 0; draws < kDraws; ++draws) {
    const int index = table_.Draw(random_);
    if (candidates.Eligible(index)) return index;
  }
  return Scan(candidates, Policy::kNone);
}

int WeightedDraw::DrawAnother(const Candidates& candidates, int other) {
  if (table_.total() == weight(other)) return Policy::kNone;
  for (int draws = 0; draws < kDraws; ++draws) {
    const int index = DrawAnyBut(other);
    if (candidates.Eligible(index)) return index;
  }
  return Scan(candidates, other);
}

// Where `other` has nearly all of the weight it would be drawn again and again: then by a search in
// the weights cumulated without it, which has the same distribution.
int WeightedDraw::DrawAnyBut(int other) {
  for (int draws = 0; draws < kDrawsOfOther; ++draws) {
    const int index = table_.Draw(random_);
    if (index != other) return index;
  }
  const uint32_t own = weight(other);
  uint32_t passed = random_.Below(table_.total() - own);
  if (passed >= cumulated_[static_cast<size_t>(other)] - own) passed += own;
  const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), passed);
  return static_cast<int>(found - cumulated_.begin());
}

// One pass, since what is eligible may change before a second one: each takes the place of the one
// before with the probability of its share of the weights so far (Chao 1982).
int WeightedDraw::Scan(const Candidates& candidates, int other) {
  int drawn = Policy::kNone;
  uint32_t passed = 0;
  for (int index = 0; index < static_cast<int>(weights_.size()); ++index) {
    if (weight(index) == 0 || index == other || !candidates.Eligible(index)) continue;
    passed += weight(index);
    if (random_.Below(passed) < weight(index)) drawn = index;
  }
  return drawn;
}

}  // namespace l4lb

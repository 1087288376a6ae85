// SPDX-License-Identifier: Apache-2.0
//
// Draws by weight among the backends that are eligible now: what the policies share that leave
// their choice to chance.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/alias_table.h"
#include "l4lb/balance/policy.h"
#include "l4lb/balance/split_mix.h"

namespace l4lb {

/// Each eligible backend is drawn with exactly its share of the weights of those eligible. Constant
/// time while most of the weight is eligible; a scan, O(N), when four draws in a row were of
/// ineligible ones.
class WeightedDraw {
 public:
  WeightedDraw(absl::Span<const uint32_t> weights, uint64_t seed);

  /// Policy::kNone when no backend with a weight is eligible.
  int Draw(const Candidates& candidates);
  /// The same among all but `other`, which has a weight.
  int DrawAnother(const Candidates& candidates, int other);
  uint32_t weight(int index) const { return weights_[static_cast<size_t>(index)]; }
  /// The random numbers go on where those of `previous` were: a pool that is updated all the time
  /// must not be given the first of its draws each time.
  void ContinueFrom(const WeightedDraw& previous) { random_ = previous.random_; }

 private:
  int DrawAnyBut(int other);
  int Scan(const Candidates& candidates, int other);

  const std::vector<uint32_t> weights_;
  const AliasTable table_;
  std::vector<uint32_t> cumulated_;  // Sum of the weights up to and with each.
  SplitMix64 random_;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Draws an index with a probability that is exactly its share of all weights, in constant time: the
// alias method (Walker 1977; built as by Vose 1991), in whole numbers.  Used by WeightedDraw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/split_mix.h"

namespace l4lb {

class AliasTable {
 public:
  /// `weights`: their sum below 2^32.
  explicit AliasTable(absl::Span<const uint32_t> weights);

  /// The sum of the weights.
  uint32_t total() const { return total_; }
  /// total() must not be 0.
  int Draw(SplitMix64& random) const {
    const uint32_t column = random.Below(static_cast<uint32_t>(columns_.size()));
    const Column& drawn = columns_[column];
    return static_cast<int>(random.Below(total_) < drawn.own ? column : drawn.alias);
  }

 private:
  // Of total_ numbers the first `own` mean the column itself, all others mean `alias`.
  struct Column {
    uint32_t own = 0;
    uint32_t alias = 0;
  };

  std::vector<Column> columns_;
  uint32_t total_ = 0;
};

}  // namespace l4lb

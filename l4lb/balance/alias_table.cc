// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/alias_table.h"

#include <numeric>

namespace l4lb {

// All weights times the number of columns fill the columns, each of which holds total_, exactly.  A
// column that its own weight does not fill is filled up by one that has too much.
AliasTable::AliasTable(absl::Span<const uint32_t> weights)
    : columns_(weights.size()), total_(std::accumulate(weights.begin(), weights.end(), 0u)) {
  std::vector<uint64_t> left(weights.size());
  std::vector<uint32_t> poor;
  std::vector<uint32_t> rich;
  for (uint32_t i = 0; i < weights.size(); ++i) {
    left[i] = uint64_t{weights[i]} * weights.size();
    (left[i] < total_ ? poor : rich).push_back(i);
  }
  while (!poor.empty()) {
    const uint32_t giver = rich.back();  // There is one: the mean of what is left is total_.
    columns_[poor.back()] = {.own = static_cast<uint32_t>(left[poor.back()]), .alias = giver};
    left[giver] -= total_ - left[poor.back()];
    poor.pop_back();
    if (left[giver] >= total_) continue;
    rich.pop_back();
    poor.push_back(giver);
  }
  for (const uint32_t full : rich) columns_[full] = {.own = total_, .alias = full};
}

}  // namespace l4lb

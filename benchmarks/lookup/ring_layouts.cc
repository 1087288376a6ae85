// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/ring_layouts.h"

#include <algorithm>

namespace lookup {

SortedRing::SortedRing(const ring::Ring& ring) {
  for (size_t i = 0; i < ring.points(); ++i) {
    positions_.push_back(ring.point(i));
    nodes_.push_back(static_cast<uint16_t>(ring.point_node(i)));
  }
}

uint32_t SortedRing::Lookup(uint64_t hash) const {
  const auto next = std::lower_bound(positions_.begin(), positions_.end(), hash);
  return nodes_[next == positions_.end() ? 0 : static_cast<size_t>(next - positions_.begin())];
}

}  // namespace lookup

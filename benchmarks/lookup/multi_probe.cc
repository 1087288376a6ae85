// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/multi_probe.h"

#include <algorithm>

#include "benchmarks/lookup/mix.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lookup {

MultiProbe::MultiProbe(absl::Span<const std::string> keys) {
  for (const std::string& key : keys) {
    points_.push_back({XXH3_64bits(key.data(), key.size()), static_cast<uint32_t>(points_.size())});
  }
  std::sort(points_.begin(), points_.end(),
            [](const Point& a, const Point& b) { return a.position < b.position; });
}

uint32_t MultiProbe::Lookup(uint64_t hash) const {
  uint64_t nearest = UINT64_MAX;
  uint32_t node = points_[0].node;
  for (int probe = 0; probe < kProbes; ++probe) {
    hash = Mix(hash);
    auto next = std::lower_bound(
        points_.begin(), points_.end(), hash,
        [](const Point& point, uint64_t position) { return point.position < position; });
    if (next == points_.end()) next = points_.begin();
    const uint64_t distance = next->position - hash;  // Around the circle.
    if (distance < nearest) node = next->node;
    nearest = std::min(nearest, distance);
  }
  return node;
}

}  // namespace lookup

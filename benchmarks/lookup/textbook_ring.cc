// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/textbook_ring.h"

#include <algorithm>
#include <mutex>

namespace lookup {

uint32_t TextbookRing::Fnv1a(std::string_view bytes) {
  uint32_t hash = 2166136261;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 16777619;
  return hash;
}

void TextbookRing::Add(std::string_view name, uint32_t weight) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const auto old_points = static_cast<std::ptrdiff_t>(points_.size());
  for (uint32_t i = 0; i < weight * points_per_weight_; ++i) {
    points_.push_back({Fnv1a(std::string(name) + "#" + std::to_string(i)), nodes_});
  }
  ++nodes_;
  std::sort(points_.begin() + old_points, points_.end());
  std::inplace_merge(points_.begin(), points_.begin() + old_points, points_.end());
}

std::optional<uint32_t> TextbookRing::Lookup(uint32_t hash) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  if (points_.empty()) return std::nullopt;
  const auto next = std::lower_bound(points_.begin(), points_.end(), Point{hash, 0});
  return next == points_.end() ? points_.front().node : next->node;
}

}  // namespace lookup

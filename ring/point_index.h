// SPDX-License-Identifier: Apache-2.0
//
// The points of a ring in order, found by position in about constant time.  Used by Ring.
//
// The top bits of a position say in which bucket it is, and a table where in the sorted points the
// bucket begins.  Good hashes put one point or less into a bucket, so the search ends after a
// few comparisons; docs/decisions/0011-ring-layout.md compares it with other layouts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace ring {

/// A point of the circle of 2^64 positions, and the node that it belongs to.
struct Point {
  uint64_t position = 0;
  uint16_t node = 0;

  bool operator<(const Point& other) const {
    return position != other.position ? position < other.position : node < other.node;
  }
};

class PointIndex {
 public:
  /// Equal positions are in order of their nodes.  Not empty, below 2^32 points; in any order, by
  /// node is the fastest.
  explicit PointIndex(absl::Span<const Point> points);

  /// The first point at or after `position`, clockwise: after the last comes the first.
  size_t Find(uint64_t position) const noexcept {
    const uint32_t* bucket = starts_.data() + (position >> shift_);
    size_t at = bucket[0];
    const uint64_t* points = positions_.data() + at;
    // Without branches, since how many are passed over cannot be predicted.
    const size_t passed = static_cast<size_t>(points[0] < position) +
                          static_cast<size_t>(points[1] < position) +
                          static_cast<size_t>(points[2] < position);
    at += passed < kAtOnce ? passed : FindFurther(points, bucket[1] - bucket[0], position);
    return at < size() ? at : 0;
  }

  size_t size() const noexcept { return nodes_.size(); }
  size_t Next(size_t at) const noexcept { return at + 1 < size() ? at + 1 : 0; }
  uint64_t position(size_t at) const noexcept { return positions_[at]; }
  uint32_t node(size_t at) const noexcept { return nodes_[at]; }
  /// In order of their positions.
  absl::Span<const uint16_t> nodes() const { return nodes_; }
  absl::Span<const uint64_t> positions() const {
    return absl::MakeConstSpan(positions_).first(size());
  }
  size_t memory_bytes() const;

 private:
  static constexpr size_t kAtOnce = 3;

  static size_t FindFurther(const uint64_t* points, size_t count, uint64_t position) noexcept;

  int shift_;
  std::vector<uint32_t> starts_;     // By bucket, and one more for the end of the last.
  std::vector<uint64_t> positions_;  // And kAtOnce more that no search passes over.
  std::vector<uint16_t> nodes_;
};

}  // namespace ring

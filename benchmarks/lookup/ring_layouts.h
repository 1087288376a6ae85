// SPDX-License-Identifier: Apache-2.0
//
// Other ways to lay out and search the points of a ring, which the bucket index of ring::PointIndex
// was measured against: docs/decisions/0011-ring-layout.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ring/ring.h"

namespace lookup {

/// In the order of a breadth-first walk of a search tree, searched without branches that depend on
/// the points (Khuong and Morin, "Array layouts for comparison-based searching", 2017).
class EytzingerRing {
 public:
  explicit EytzingerRing(const ring::Ring& ring)
      : positions_(ring.points() + 1), nodes_(ring.points() + 1) {
    size_t next = 0;
    Place(ring, 1, next);
    nodes_[0] = static_cast<uint16_t>(ring.point_node(0));  // Of what is after the last point.
  }

  uint32_t Lookup(uint64_t hash) const {
    size_t at = 1;
    while (at < positions_.size()) at = 2 * at + (positions_[at] < hash ? 1 : 0);
    // Back to the last node at which the way went left: the first that is not before the hash.
    return nodes_[at >> (std::countr_one(at) + 1)];
  }
  size_t memory_bytes() const { return positions_.size() * (sizeof(uint64_t) + sizeof(uint16_t)); }

 private:
  void Place(const ring::Ring& ring, size_t at, size_t& next) {
    if (at > ring.points()) return;
    Place(ring, 2 * at, next);
    positions_[at] = ring.point(next);
    nodes_[at] = static_cast<uint16_t>(ring.point_node(next));
    ++next;
    Place(ring, 2 * at + 1, next);
  }

  std::vector<uint64_t> positions_;  // From 1 on: the children of i are 2 i and 2 i + 1.
  std::vector<uint16_t> nodes_;
};

/// The same points in sorted arrays, searched by bisection.
class SortedRing {
 public:
  explicit SortedRing(const ring::Ring& ring);
  uint32_t Lookup(uint64_t hash) const;
  size_t memory_bytes() const { return positions_.size() * (sizeof(uint64_t) + sizeof(uint16_t)); }

 private:
  std::vector<uint64_t> positions_;
  std::vector<uint16_t> nodes_;
};

}  // namespace lookup

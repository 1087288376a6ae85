// SPDX-License-Identifier: Apache-2.0
//
// The ring as textbooks build it: points "name#i" hashed by 32-bit FNV-1a, kept in one sorted list,
// and searched by bisection under a read lock.  What ring::Ring is to be measured against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lookup {

class TextbookRing {
 public:
  /// `points`: per unit of weight.
  explicit TextbookRing(uint32_t points) : points_per_weight_(points) {}

  /// Nodes are numbered from 0 in the order in which they are added.
  void Add(std::string_view name, uint32_t weight);
  /// The number of the node, or nothing while the ring is empty.
  std::optional<uint32_t> Lookup(std::string_view key) const { return Lookup(Fnv1a(key)); }
  std::optional<uint32_t> Lookup(uint32_t hash) const;
  uint64_t memory_bytes() const { return points_.capacity() * sizeof(Point); }

  static uint32_t Fnv1a(std::string_view bytes);

 private:
  struct Point {
    uint32_t position = 0;
    uint32_t node = 0;
    auto operator<=>(const Point&) const = default;
  };

  const uint32_t points_per_weight_;
  mutable std::shared_mutex mutex_;
  std::vector<Point> points_;  // In order; guarded by mutex_, as is the next.
  uint32_t nodes_ = 0;
};

}  // namespace lookup

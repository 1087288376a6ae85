// SPDX-License-Identifier: Apache-2.0
//
// Jump hash (Lamping and Veach, "A fast, minimal memory, consistent hash algorithm", 2014): no
// memory, exact balance, the least possible movement; but only the last node can be removed, and
// there are no weights.  A lookup takes O(ln N) jumps, each with a division of floating-point
// numbers.
#pragma once

#include <cstdint>

namespace lookup {

/// From 0 to `buckets` - 1.  `buckets` > 0.
inline int32_t JumpHash(uint64_t key, int32_t buckets) {
  int64_t bucket = -1;
  int64_t next = 0;
  while (next < buckets) {
    bucket = next;
    key = key * 2862933555777941757 + 1;
    next = static_cast<int64_t>(
        static_cast<double>(bucket + 1) *
        (static_cast<double>(int64_t{1} << 31) / static_cast<double>((key >> 33) + 1)));
  }
  return static_cast<int32_t>(bucket);
}

class Jump {
 public:
  explicit Jump(uint32_t nodes) : nodes_(static_cast<int32_t>(nodes)) {}
  uint32_t Lookup(uint64_t hash) const { return static_cast<uint32_t>(JumpHash(hash, nodes_)); }
  static constexpr uint64_t memory_bytes() { return sizeof(Jump); }

 private:
  int32_t nodes_;
};

}  // namespace lookup

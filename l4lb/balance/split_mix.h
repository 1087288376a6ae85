// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine: the figures of the lab depend on them.
#pragma once

#include <cstdint>

namespace l4lb {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): 64 bits
/// of state, period 2^64, every output once per period.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// 0 to bound - 1, each with the very same probability (Lemire, "Fast random integer generation
  /// in an interval", 2019).  `bound` > 0.
  uint32_t Below(uint32_t bound) {
    uint64_t product = (Next() >> 32) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t surplus = -bound % bound;  // 2^32 mod bound: so many would be one too many.
      while (static_cast<uint32_t>(product) < surplus) product = (Next() >> 32) * bound;
    }
    return static_cast<uint32_t>(product >> 32);
  }

 private:
  uint64_t state_;
};

}  // namespace l4lb

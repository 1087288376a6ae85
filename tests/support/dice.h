// SPDX-License-Identifier: Apache-2.0
//
// Chance that can be repeated: the same seed throws the same dice on every machine (unlike the
// distributions of <random>).
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace l4lb {

class Dice {
 public:
  explicit Dice(uint64_t seed) : seed_(seed), generator_(seed) {}

  uint64_t seed() const { return seed_; }
  bool Chance(double probability) {
    if (probability <= 0)
      return false;  // Throws no dice, so that a fault left out changes no other.
    return static_cast<double>(generator_() >> 11) * 0x1.0p-53 < probability;
  }
  /// 0 .. bound - 1.  `bound` > 0.
  uint64_t Below(uint64_t bound) { return generator_() % bound; }
  /// low .. high, both included.
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  template <typename List>
  void Shuffle(List& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[Below(i)]);
  }

 private:
  const uint64_t seed_;
  std::mt19937_64 generator_;
};

}  // namespace l4lb

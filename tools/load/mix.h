// SPDX-License-Identifier: Apache-2.0
//
// From numbers that differ little to numbers that look random.
#pragma once

#include <cstdint>

namespace l4lb::load {

/// The output function of splitmix64 after one step from `value` (Steele, Lea, Flood: "Fast
/// splittable pseudorandom number generators", 2014).
inline uint64_t Mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace l4lb::load

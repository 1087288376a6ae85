// SPDX-License-Identifier: Apache-2.0
//
// Hashes of numbers for the comparators, which get their keys as hashes.
#pragma once

#include <cstdint>

namespace lookup {

/// One step of SplitMix64 (Steele, Lea, Flood, 2014): a bijection.
constexpr uint64_t Mix(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace lookup

// SPDX-License-Identifier: Apache-2.0
//
// A second, independent hash of a number.  What it returns is part of the layout of every table
// with dead nodes, and of every order of candidates: it must never change.
#pragma once

#include <cstdint>

namespace maglev {

/// One step of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// 2014): a bijection of 64-bit numbers.
constexpr uint64_t Mix(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

}  // namespace maglev

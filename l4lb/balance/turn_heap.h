// SPDX-License-Identifier: Apache-2.0
//
// The turns of a Rotation in their order.  Used by RoundRobin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "l4lb/balance/rotation.h"

namespace l4lb {

/// A heap of which every node has four children, which share a cache line or two: at 10,000
/// backends a pick takes two thirds of the time that it takes with a binary one.
class TurnHeap {
 public:
  bool empty() const { return turns_.empty(); }
  void Clear() { turns_.clear(); }
  /// Whose turn is the earliest; of several at the same time the lowest index.
  int earliest() const { return turns_.front().index; }

  /// Turns in the heap at one time must be within 2^31 rounds of each other.
  void Push(int index, const Rotation::Time& time);
  void RemoveEarliest();
  /// The earliest one's next turn is at `time`.
  void MoveEarliest(const Rotation::Time& time);

 private:
  struct Turn {
    uint64_t time = 0;  // Rotation::Time in 1/2^32 of a round, modulo 2^64.
    int index = 0;
  };

  static constexpr size_t kChildren = 4;

  static Turn At(int index, const Rotation::Time& time);
  static bool Later(const Turn& a, const Turn& b);
  void SiftDown(const Turn& turn);

  std::vector<Turn> turns_;
};

}  // namespace l4lb

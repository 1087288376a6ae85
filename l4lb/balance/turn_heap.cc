// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/turn_heap.h"

#include <algorithm>

namespace l4lb {

TurnHeap::Turn TurnHeap::At(int index, const Rotation::Time& time) {
  return {(time.round << 32) + time.part, index};
}

bool TurnHeap::Later(const Turn& a, const Turn& b) {
  const auto ahead = static_cast<int64_t>(a.time - b.time);
  return ahead != 0 ? ahead > 0 : a.index > b.index;
}

void TurnHeap::Push(int index, const Rotation::Time& time) {
  const Turn turn = At(index, time);
  size_t hole = turns_.size();
  turns_.push_back(turn);
  while (hole > 0 && Later(turns_[(hole - 1) / kChildren], turn)) {
    turns_[hole] = turns_[(hole - 1) / kChildren];
    hole = (hole - 1) / kChildren;
  }
  turns_[hole] = turn;
}

void TurnHeap::RemoveEarliest() {
  const Turn last = turns_.back();
  turns_.pop_back();
  if (!turns_.empty()) SiftDown(last);
}

void TurnHeap::MoveEarliest(const Rotation::Time& time) { SiftDown(At(earliest(), time)); }

// Puts `turn` in the place of the earliest one.  Written so that GCC chooses among the children by
// conditional moves: branches would be guesses, and make a pick half as long again.
void TurnHeap::SiftDown(const Turn& turn) {
  const size_t size = turns_.size();
  size_t hole = 0;
  for (;;) {
    size_t child = kChildren * hole + 1;
    if (child >= size) break;
    const size_t end = std::min(child + kChildren, size);
    size_t earliest = child;
    for (++child; child < end; ++child) {
      earliest = Later(turns_[earliest], turns_[child]) ? child : earliest;
    }
    if (Later(turns_[earliest], turn)) break;
    turns_[hole] = turns_[earliest];
    hole = earliest;
  }
  turns_[hole] = turn;
}

}  // namespace l4lb

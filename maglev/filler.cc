// SPDX-License-Identifier: Apache-2.0
#include "maglev/filler.h"

#include <bit>
#include <cmath>

namespace maglev {
namespace {

// Without a branch, which could not be predicted.
uint32_t Select(uint32_t odd, uint32_t if_even, uint32_t if_odd) {
  return if_even ^ ((if_even ^ if_odd) & -(odd & 1));
}

}  // namespace

Filler::Filler(uint32_t size, absl::Span<const Permutation> permutations)
    : size_(size),
      left_(size),
      sparse_(size / 5 * 3),
      // Where looking at all that are left costs as much as the steps that it spares.
      last_(std::min(size - 1, 2 * static_cast<uint32_t>(std::sqrt(size)))),
      taken_(size / 64 + 1) {
  walks_.reserve(permutations.size());
  for (const auto& [offset, skip] : permutations) walks_.push_back({offset, skip});
}

uint32_t Filler::StepByStep(const Walk& walk) const {
  uint32_t slot = walk.next;
  while (Taken(slot) != 0) slot = After(slot, walk.skip);
  return slot;
}

uint32_t Filler::FourAtOnce(const Walk& walk) const {
  const uint32_t skip2 = After(walk.skip, walk.skip);
  const uint32_t skip4 = After(skip2, skip2);
  uint32_t slot0 = walk.next;
  uint32_t slot1 = After(slot0, walk.skip);
  uint32_t slot2 = After(slot0, skip2);
  uint32_t slot3 = After(slot1, skip2);
  for (;;) {
    const uint32_t taken = Taken(slot0) | Taken(slot1) << 1 | Taken(slot2) << 2 | Taken(slot3) << 3;
    if (taken != 0b1111) {
      const auto first = static_cast<uint32_t>(std::countr_one(taken));
      return Select(first >> 1, Select(first, slot0, slot1), Select(first, slot2, slot3));
    }
    slot0 = After(slot0, skip4);
    slot1 = After(slot1, skip4);
    slot2 = After(slot2, skip4);
    slot3 = After(slot3, skip4);
  }
}

void Filler::ListLast() {
  last_slots_.reserve(last_);
  for (uint32_t word = 0; word < taken_.size(); ++word) {
    for (uint64_t free = ~taken_[word]; free != 0; free &= free - 1) {
      const uint32_t slot = word * 64 + static_cast<uint32_t>(std::countr_zero(free));
      if (slot < size_) last_slots_.push_back(slot);
    }
  }
  const ExactMod mod(size_);
  std::vector<uint32_t> inverses;
  inverses.reserve(walks_.size());
  for (const Walk& walk : walks_) inverses.push_back(walk.skip);
  InvertAll(absl::MakeSpan(inverses), mod);
  arrivals_.reserve(walks_.size());
  for (size_t i = 0; i < walks_.size(); ++i) {
    arrivals_.emplace_back(walks_[i].next, inverses[i], mod);
  }
}

uint32_t Filler::TakeOfLast(uint32_t node) {
  const size_t first = arrivals_[node].FirstOf(last_slots_);
  const uint32_t slot = last_slots_[first];
  last_slots_[first] = last_slots_.back();
  last_slots_.pop_back();
  --left_;
  return slot;
}

}  // namespace maglev

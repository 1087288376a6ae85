// SPDX-License-Identifier: Apache-2.0
//
// The core of Maglev: nodes take turns, and each takes the first slot of its own permutation of the
// table that is still free (Eisenbud et al., "Maglev: a fast and reliable software network load
// balancer", NSDI 2016, section 3.4).  Who has which permutation, and whose turn it is, is the
// caller's choice: so the layouts of other implementations can be had from the same core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "maglev/exact_mod.h"
#include "maglev/modular.h"

namespace maglev {

/// The slots offset, offset + skip, offset + 2 x skip and so on, modulo the table's size.
struct Permutation {
  uint32_t offset = 0;  // Below the size.
  uint32_t skip = 1;    // From 1 to size - 1.
};

/// As a nearly full table makes a search long (size / free slots on average), it is done in three
/// ways that find the very same slot: step by step; four steps at once, which spares most of the
/// branches that cannot be predicted; and for the last 2 x sqrt(size) slots by computing which of
/// them the permutation comes to first.
class Filler {
 public:
  /// `size`: a prime below 2^31.
  Filler(uint32_t size, absl::Span<const Permutation> permutations);

  /// How many slots are free.
  uint32_t left() const { return left_; }

  /// It is the turn of `node`: returns the slot that it takes.  left() must not be 0.
  uint32_t Take(uint32_t node) {
    if (left_ <= last_) return TakeOfLast(node);
    Walk& walk = walks_[node];
    const uint32_t slot = left_ > sparse_ ? StepByStep(walk) : FourAtOnce(walk);
    taken_[slot / 64] |= uint64_t{1} << (slot % 64);
    walk.next = After(slot, walk.skip);
    if (--left_ == last_) ListLast();
    return slot;
  }

 private:
  struct Walk {
    uint32_t next = 0;  // Where the search goes on.
    uint32_t skip = 0;
  };

  // 1 or 0.
  uint32_t Taken(uint32_t slot) const { return (taken_[slot / 64] >> (slot % 64)) & 1; }
  // slot + skip modulo size: of the two sums the one that did not wrap around.
  uint32_t After(uint32_t slot, uint32_t skip) const {
    return std::min(slot + skip, slot + skip - size_);
  }

  // Not inline: each keeps all that it needs in registers.
  uint32_t StepByStep(const Walk& walk) const;
  uint32_t FourAtOnce(const Walk& walk) const;
  uint32_t TakeOfLast(uint32_t node);
  void ListLast();

  uint32_t size_;
  uint32_t left_;
  uint32_t sparse_;              // More free slots than this: one step mostly finds one.
  uint32_t last_;                // At most so many free slots: they are in last_slots_.
  std::vector<uint64_t> taken_;  // One bit per slot.
  std::vector<Walk> walks_;
  std::vector<uint32_t> last_slots_;
  std::vector<Arrival> arrivals_;  // Of each node at the last slots.
};

}  // namespace maglev

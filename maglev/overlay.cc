// SPDX-License-Identifier: Apache-2.0
#include "maglev/overlay.h"

#include <algorithm>
#include <vector>

#include "maglev/exact_mod.h"
#include "maglev/mix.h"
#include "maglev/modular.h"

namespace maglev {
namespace {

// How slots of the dead are walked from.
class Walks {
 public:
  Walks(const Slots& full, absl::Span<const bool> alive)
      : full_(full), alive_(alive), size_(full.size()), step_mod_(full.size() - 1) {}

  uint32_t Step(uint32_t slot) const { return step_mod_(Mix(slot)) + 1; }
  bool Alive(uint32_t slot) const { return alive_.data()[full_.owner(slot)]; }

  uint32_t FirstAlive(uint32_t slot) const {
    const uint32_t step = Step(slot);
    do {
      slot = std::min(slot + step, slot + step - size_);  // Modulo size_.
    } while (!Alive(slot));
    return full_.owner(slot);
  }

 private:
  const Slots& full_;
  const absl::Span<const bool> alive_;
  const uint32_t size_;
  const ExactMod step_mod_;
};

// The `count` slots whose owners are alive, or dead.
std::vector<uint32_t> ListSlots(const Walks& walks, uint64_t count, bool alive) {
  std::vector<uint32_t> slots(count + 1);
  size_t listed = 0;
  for (uint32_t slot = 0; listed < count; ++slot) {
    slots[listed] = slot;  // Overwritten if it is not one of them: no branch to be mispredicted.
    listed += walks.Alive(slot) == alive ? 1 : 0;
  }
  slots.pop_back();
  return slots;
}

// Every walk ends at one of a few slots, so which it comes to first is computed.  In blocks, since
// inverses cost less by the dozen.
void FillByArrival(const Slots& full, const Walks& walks, const std::vector<uint32_t>& alive_slots,
                   Slots& out) {
  constexpr uint32_t kBlock = 1024;
  const ExactMod mod(full.size());
  std::vector<uint32_t> inverses;
  for (uint32_t begin = 0; begin < full.size(); begin += kBlock) {
    const uint32_t end = std::min(begin + kBlock, full.size());
    inverses.clear();
    for (uint32_t slot = begin; slot < end; ++slot) inverses.push_back(walks.Step(slot));
    InvertAll(absl::MakeSpan(inverses), mod);
    for (uint32_t slot = begin; slot < end; ++slot) {
      if (walks.Alive(slot)) continue;
      const size_t first = Arrival(slot, inverses[slot - begin], mod).FirstOf(alive_slots);
      out.SetOwner(slot, full.owner(alive_slots[first]));
    }
  }
}

}  // namespace

Slots Overlay(const Slots& full, absl::Span<const bool> alive) {
  const Walks walks(full, alive);
  const uint32_t size = full.size();
  uint64_t alive_count = 0;
  for (uint32_t slot = 0; slot < size; ++slot) alive_count += walks.Alive(slot) ? 1 : 0;
  Slots out = full;
  // A step of a walk costs about four times as much as a look at one slot of the list.
  if (alive_count * alive_count < 4 * uint64_t{size}) {
    FillByArrival(full, walks, ListSlots(walks, alive_count, true), out);
    return out;
  }
  for (const uint32_t slot : ListSlots(walks, size - alive_count, false)) {
    out.SetOwner(slot, walks.FirstAlive(slot));
  }
  return out;
}

}  // namespace maglev

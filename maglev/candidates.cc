// SPDX-License-Identifier: Apache-2.0
#include "maglev/candidates.h"

#include <algorithm>

#include "maglev/exact_mod.h"
#include "maglev/mix.h"

namespace maglev {
namespace {

__extension__ using Wide = unsigned __int128;

uint32_t StepOf(const Table& table, uint64_t second_hash) {
  return ExactMod(table.size() - 1)(second_hash) + 1;
}

uint32_t After(const Table& table, uint32_t slot, uint32_t step) {
  return std::min(slot + step, slot + step - table.size());  // Modulo the size.
}

// The i-th node by index, from a start that depends on the hash.
uint32_t ByIndex(const Table& table, uint64_t second_hash, size_t i) {
  return static_cast<uint32_t>((second_hash % table.nodes() + i) % table.nodes());
}

bool OwnsSlots(const Table& table, uint32_t node) {
  return table.weight(node) != 0 && table.alive(node);
}

}  // namespace

Candidates::Candidates(const Table& table, uint64_t hash)
    : table_(table),
      second_hash_(Mix(hash)),
      step_(StepOf(table, second_hash_)),
      slot_(static_cast<uint32_t>(hash % table.size())),
      seen_(table.nodes() / 64 + 1) {}

bool Candidates::SeeFirst(uint32_t node) {
  uint64_t& word = seen_[node / 64];
  const uint64_t bit = uint64_t{1} << (node % 64);
  if ((word & bit) != 0) return false;
  word |= bit;
  return true;
}

std::optional<uint32_t> Candidates::Next() {
  while (steps_ < kSteps) {
    const uint32_t node = table_.owner(slot_);
    slot_ = After(table_, slot_, step_);
    ++steps_;
    if (SeeFirst(node)) return node;
  }
  while (rest_ < table_.nodes()) {
    const uint32_t node = ByIndex(table_, second_hash_, rest_++);
    if (OwnsSlots(table_, node) && SeeFirst(node)) return node;
  }
  return std::nullopt;
}

uint64_t LoadCap(const Table& table, uint32_t node, uint64_t total, uint32_t percent) {
  const Wide part = Wide{total} + 1;
  const Wide divisor = Wide{100} * table.weight_sum();
  return static_cast<uint64_t>((part * percent * table.weight(node) + divisor - 1) / divisor);
}

// As Candidates, but that a full node may be asked again: so nothing has to be remembered.
uint32_t PickBounded(const Table& table, uint64_t hash, uint64_t total, uint32_t percent,
                     absl::FunctionRef<uint64_t(uint32_t)> load) {
  const auto has_room = [&](uint32_t node) {
    return load(node) < LoadCap(table, node, total, percent);
  };
  const uint32_t first = table.Lookup(hash);
  if (has_room(first)) return first;
  const uint64_t second_hash = Mix(hash);
  const uint32_t step = StepOf(table, second_hash);
  auto slot = static_cast<uint32_t>(hash % table.size());
  for (int steps = 1; steps < Candidates::kSteps; ++steps) {
    slot = After(table, slot, step);
    const uint32_t node = table.owner(slot);
    if (has_room(node)) return node;
  }
  for (size_t i = 0; i < table.nodes(); ++i) {
    const uint32_t node = ByIndex(table, second_hash, i);
    if (OwnsSlots(table, node) && has_room(node)) return node;
  }
  return first;
}

}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// What several tests of the layout of tables need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "maglev/filler.h"
#include "maglev/table.h"

namespace maglev {

using Owners = std::vector<uint32_t>;

inline Owners OwnersOf(const Table& table) {
  Owners owners(table.size());
  for (uint32_t slot = 0; slot < table.size(); ++slot) owners[slot] = table.owner(slot);
  return owners;
}

/// One digit per slot.
inline Owners FromDigits(std::string_view digits) {
  Owners owners;
  for (const char digit : digits) owners.push_back(static_cast<uint32_t>(digit - '0'));
  return owners;
}

/// `take_turns(take)` calls take(node) until that returns false.
template <class TakeTurns>
Owners FillBy(uint32_t size, absl::Span<const Permutation> permutations, TakeTurns take_turns) {
  Owners owners(size);
  Filler filler(size, permutations);
  take_turns([&](uint32_t node) {
    owners[filler.Take(node)] = node;
    return filler.left() > 0;
  });
  return owners;
}

/// Turns of `nodes` nodes one after the other.
inline auto InTurn(uint32_t nodes) {
  return [nodes](auto take) {
    for (uint32_t node = 0; take(node); node = (node + 1) % nodes) {
    }
  };
}

inline std::vector<uint32_t> Shares(const Owners& owners, size_t nodes) {
  std::vector<uint32_t> shares(nodes);
  for (const uint32_t owner : owners) ++shares[owner];
  return shares;
}

inline uint32_t Changed(const Owners& a, const Owners& b) {
  uint32_t changed = 0;
  for (size_t slot = 0; slot < a.size(); ++slot) changed += a[slot] != b[slot] ? 1 : 0;
  return changed;
}

/// Keys "node-0" and so on, of these weights.
inline std::vector<Node> Named(const std::vector<uint32_t>& weights) {
  std::vector<Node> nodes;
  for (size_t i = 0; i < weights.size(); ++i) {
    nodes.push_back({"node-" + std::to_string(i), weights[i]});
  }
  return nodes;
}

}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// hash % N: what everybody begins with.  Perfectly even, no memory, one division; but when a node
// is added or removed nearly all keys move (from 8 to 10 nodes 80 %, from 9 to 10 90 %).
#pragma once

#include <cstdint>

namespace lookup {

class Modulo {
 public:
  explicit Modulo(uint32_t nodes) : nodes_(nodes) {}
  uint32_t Lookup(uint64_t hash) const { return static_cast<uint32_t>(hash % nodes_); }
  static constexpr uint64_t memory_bytes() { return sizeof(Modulo); }

 private:
  uint32_t nodes_;
};

}  // namespace lookup

// SPDX-License-Identifier: Apache-2.0
//
// Rendezvous hashing, or highest random weight (Thaler and Ravishankar, 1996): every node draws a
// number for the key, and the best one has it.  Any node can be removed, the movement is the least
// possible, balance is that of chance alone; but each lookup asks all nodes.
//
// By weight w: the least -log(u) / w wins, where u in (0, 1) is what the node has drawn
// (Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005).  The logarithm is
// computed in integers, so that every machine gives the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace lookup {

/// log2(number) in units of 2^-32, within 2^-18; never falls as the number grows.  `number` > 0.
uint64_t Log2(uint64_t number);

class Rendezvous {
 public:
  /// All weights 1.
  explicit Rendezvous(absl::Span<const std::string> keys);
  /// One of 0 is never chosen; not all are 0.
  Rendezvous(absl::Span<const std::string> keys, absl::Span<const uint32_t> weights);

  uint32_t Lookup(uint64_t hash) const;
  uint64_t memory_bytes() const { return nodes_.capacity() * sizeof(Node); }

 private:
  struct Node {
    uint64_t seed = 0;  // The hash of its key: what it draws does not depend on the others.
    uint32_t index = 0;
    uint32_t weight = 1;
  };

  uint32_t LookupWeighted(uint64_t hash) const;

  std::vector<Node> nodes_;  // In order of their seeds, so that ties do not depend on the list.
  bool weighted_ = false;
};

}  // namespace lookup

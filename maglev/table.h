// SPDX-License-Identifier: Apache-2.0
//
// Maglev lookup tables (Eisenbud et al., "Maglev: a fast and reliable software network load
// balancer", NSDI 2016): from a hash to a node in constant time, with nearly equal shares, and few
// changes when nodes come and go.
//
//   absl::StatusOr<maglev::Table> table =
//       maglev::Table::Build({{"10.0.0.1:80", 2}, {"10.0.0.2:80", 1}});
//   if (!table.ok()) ...
//   uint32_t node = table->Lookup("203.0.113.7:4711");
//   connect to table->key(node) ...
//
// A table is a pure function of its size, seed, hash and set of (key, weight): balancers that agree
// on these send every flow to the same node, whatever the order of their lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "maglev/exact_mod.h"
#include "maglev/hash.h"
#include "maglev/slots.h"

namespace maglev {

struct Node {
  std::string key;      // Who it is, any bytes; must stay the same as long as the node lives.
  uint32_t weight = 1;  // Its share is weight / sum of weights; 0 has none.
};

struct Options {
  /// How many slots: a prime, at most kMaxSize.  Shares differ by at most one slot, so 100 slots
  /// per node mean 1 %.
  uint32_t size = 65537;
  /// Of the hash; another seed gives an independent table.
  uint64_t seed = 0;
  HashFunction hash = Xxh3;
};

/// Immutable; copies share their memory.  All members may be called from any thread.
class Table {
 public:
  static constexpr uint32_t kMaxSize = 1u << 27;

  /// InvalidArgument: no nodes, a key twice, no weight above 0, a size that is not prime, above
  /// kMaxSize or below the number of nodes with a weight.
  static absl::StatusOr<Table> Build(absl::Span<const Node> nodes, const Options& options = {});

  /// The index of the node that owns slot `hash % size()`: one load.  `hash` must be a good one in
  /// all its bits: where in doubt, look up the bytes.
  uint32_t Lookup(uint64_t hash) const noexcept { return slots_->owner(mod_(hash)); }
  /// Hashes `bytes` with the table's hash and seed.
  uint32_t Lookup(std::string_view bytes) const noexcept { return Lookup(Hash(bytes)); }
  uint64_t Hash(std::string_view bytes) const noexcept;

  /// The table of the same nodes while only those are alive for which `alive` (by index) is true.
  /// Depends on the nodes and on who is alive, not on this table's own state: slots of living nodes
  /// are as in the table that Build() made, and with all alive it is that table.
  /// InvalidArgument: not one entry per node.  FailedPrecondition: nobody with a weight is alive.
  absl::StatusOr<Table> WithAlive(absl::Span<const bool> alive) const;

  /// Slots.
  uint32_t size() const noexcept { return mod_.divisor(); }
  /// Nodes, dead ones and those of weight 0 too; their indices are in byte order of their keys.
  size_t nodes() const noexcept;
  const std::string& key(uint32_t node) const;
  uint32_t weight(uint32_t node) const;
  bool alive(uint32_t node) const;
  /// Of the nodes alive.
  uint64_t weight_sum() const noexcept { return weight_sum_; }
  /// Which of the nodes given to Build() this one was.
  size_t input_position(uint32_t node) const;
  uint32_t owner(uint32_t slot) const noexcept { return slots_->owner(slot); }

  /// Of what decides where a flow goes: size, seed, keys and owners.  For comparing balancers.
  /// O(size): some microseconds, not kept.
  uint64_t Checksum() const;
  /// What is wrong with the options though the table works, or empty.
  const std::string& warning() const;
  /// Of the slots.
  size_t memory_bytes() const { return slots_->memory_bytes(); }

 private:
  struct Configuration;  // What does not depend on who is alive.

  Table(std::shared_ptr<const Configuration> configuration, std::shared_ptr<const Slots> slots,
        std::vector<bool> alive);

  ExactMod mod_;
  std::shared_ptr<const Slots> slots_;
  std::shared_ptr<const Configuration> configuration_;
  std::vector<bool> alive_;  // By node.
  uint64_t weight_sum_ = 0;
};

}  // namespace maglev

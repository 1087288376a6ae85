// SPDX-License-Identifier: Apache-2.0
//
// Where a flow goes when the node that its hash says is full: bounded loads (Mirrokni, Thorup,
// Zadimoghaddam, "Consistent hashing with bounded loads", 2016) on a Maglev table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "maglev/table.h"

namespace maglev {

/// All nodes that own slots, each once, in an order that is a pure function of the table and the
/// hash; the first is Lookup(hash).  The walk goes over the table by a step that is another hash
/// (double hashing), so a full node's flows are spread over all others by weight, and none gets
/// them all.  After kSteps the rest follow by index, from a start that depends on the hash.
class Candidates {
 public:
  static constexpr int kSteps = 128;

  /// `table` must outlive it.
  Candidates(const Table& table, uint64_t hash);
  /// The next node, or nothing after the last.
  std::optional<uint32_t> Next();

 private:
  bool SeeFirst(uint32_t node);  // False when it was seen before.

  const Table& table_;
  const uint64_t second_hash_;
  const uint32_t step_;
  uint32_t slot_;
  int steps_ = 0;
  size_t rest_ = 0;                         // How many were looked at by index.
  absl::InlinedVector<uint64_t, 16> seen_;  // A bit per node: 1,024 without allocation.
};

/// How much a node may carry when `total` sessions exist and one more comes:
/// ceil(percent / 100 x (total + 1) x weight / sum of the weights alive).  `percent` from 100;
/// the node is alive.
uint64_t LoadCap(const Table& table, uint32_t node, uint64_t total, uint32_t percent);

/// The first candidate whose load is below its cap.  `load(node)`: its sessions now, which add up
/// to `total`.  When other threads change loads meanwhile all may seem full: then Lookup(hash).
/// At 125 percent it looks at five nodes on average when the system is as full as it gets, at fewer
/// otherwise; allocates nothing.
uint32_t PickBounded(const Table& table, uint64_t hash, uint64_t total, uint32_t percent,
                     absl::FunctionRef<uint64_t(uint32_t)> load);

}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// How many keys change their node when the set of nodes changes.  No clock: the same keys give the
// same figures on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/lookup/algorithms.h"

namespace l4lb::lookup {

/// As shares of all keys.
struct Movement {
  double moved = 0;
  /// The least that could have moved between these two splits: what the nodes that have more keys
  /// than before have gained.  (Half the L1 distance; for a node added it is that node's share.)
  double ideal = 0;
  double extra = 0;  // moved - ideal, exactly: 0 when no key has moved in vain.
};

/// The owners of the same keys, before and after.
Movement Compare(absl::Span<const uint32_t> before, absl::Span<const uint32_t> after);

struct Change {
  std::string name;
  std::optional<Movement> movement;  // None: the algorithm cannot do it.
};

/// Of 8 and of 9 nodes, which become 10.
std::vector<Change> MeasureGrowth(const Algorithm& algorithm, absl::Span<const uint64_t> hashes);

/// Of `nodes` nodes, from two on: one is added; the middle one is removed from the configuration;
/// the middle one dies; every tenth (or one) dies; one of those comes back while the others stay
/// dead; the middle one gets twice its weight.
std::vector<Change> MeasureChanges(const Algorithm& algorithm, uint32_t nodes,
                                   absl::Span<const uint64_t> hashes);

}  // namespace l4lb::lookup

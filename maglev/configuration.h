// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a table in an order that does not depend on the order in which they were listed.
// Used by Table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "maglev/filler.h"
#include "maglev/slots.h"
#include "maglev/table.h"

namespace maglev {

/// The positions of `nodes` in byte order of their keys.
std::vector<size_t> ByKey(absl::Span<const Node> nodes);

/// What Table::Build() refuses.  `order`: as ByKey() has it.
absl::Status Validate(absl::Span<const Node> nodes, absl::Span<const size_t> order, uint32_t size);

/// Fewer slots per node than Maglev is good for, or empty.
std::string SizeWarning(uint32_t size, size_t nodes);

/// Offset from the hash of the key with seed 2 x seed, skip with 2 x seed + 1.
Permutation PermutationOf(const std::string& key, const Options& options);

/// `nodes` in byte order of their keys, valid.
Slots Fill(absl::Span<const Node> nodes, const Options& options);

}  // namespace maglev

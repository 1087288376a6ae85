// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a ring in an order that does not depend on the order in which they were listed, and
// what is made of them.  Used by Ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ring/point_index.h"
#include "ring/ring.h"

namespace ring {

/// The positions of `nodes` in byte order of their keys.
std::vector<size_t> ByKey(absl::Span<const Node> nodes);

/// What Ring::Build() refuses.  `order`: as ByKey() has it; `points`: per unit of weight.
absl::Status Validate(absl::Span<const Node> nodes, absl::Span<const size_t> order,
                      uint32_t points);

/// The points of all nodes, by node, moved up to the top of 64 bits.
std::vector<Point> PointsOf(absl::Span<const Node> nodes, const Options& options);

/// Of keys, seed and points.
uint64_t ChecksumOf(absl::Span<const Node> nodes, uint64_t seed, const PointIndex& index);

}  // namespace ring

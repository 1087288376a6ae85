// SPDX-License-Identifier: Apache-2.0
//
// Multi-probe consistent hashing (Appleton and O'Reilly, 2015): a ring with one point per node, on
// which a key is hashed several times and the node belongs to it that is nearest clockwise to any
// of its positions.  The memory of N points, a peak of 1.05 times the mean with 21 probes; but each
// lookup is 21 searches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace lookup {

class MultiProbe {
 public:
  static constexpr int kProbes = 21;

  explicit MultiProbe(absl::Span<const std::string> keys);
  uint32_t Lookup(uint64_t hash) const;
  uint64_t memory_bytes() const { return points_.capacity() * sizeof(Point); }

 private:
  struct Point {
    uint64_t position = 0;
    uint32_t node = 0;
  };

  std::vector<Point> points_;  // In order.
};

}  // namespace lookup

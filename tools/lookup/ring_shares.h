// SPDX-License-Identifier: Apache-2.0
//
// How even rings are, computed from the lengths of the arcs: without the chance that counting keys
// adds.
#pragma once

#include <cstdint>
#include <vector>

#include "ring/ring.h"

namespace l4lb::lookup {

/// Rings of ten nodes each, with different names.
struct RingShares {
  std::vector<double> peaks;  // The greatest share in means, by set of names, ascending.
  double stddev = 0;          // The mean over the sets.

  double median() const { return peaks[peaks.size() / 2]; }
  /// How many have no share over `limit` means.
  int CountWithin(double limit) const;
};

RingShares MeasureRings(const ring::Hash& hash, uint32_t points, int sets);

/// The shares of the nodes in means, by index.
std::vector<double> ArcShares(const ring::Ring& ring, const ring::Hash& hash);

}  // namespace l4lb::lookup

// SPDX-License-Identifier: Apache-2.0
//
// What the backends saw in one mode.  Times count from its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace l4lb::skew {

/// One connection to a backend: of a client, or of the proxy between.
struct Lane {
  int backend = 0;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::vector<uint32_t> requests;  ///< Answered; by kStepNs, beginning with the step of from_ns.
};

struct Observed {
  static constexpr int64_t kStepNs = 50'000'000;

  std::vector<std::vector<uint32_t>> requests;  ///< Answered; by backend and kStepNs.
  std::vector<Lane> lanes;                      ///< In the order in which they came.
};

/// One more at `index`, which may lie beyond the end.
inline void CountAt(std::vector<uint32_t>& counts, int64_t index) {
  const auto at = static_cast<size_t>(index);
  if (at >= counts.size()) counts.resize(at + 1);
  ++counts[at];
}

}  // namespace l4lb::skew

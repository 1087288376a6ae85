// SPDX-License-Identifier: Apache-2.0
//
// Which backends of a pool take much longer to connect to than the others.  Pure.  They are
// reported, not taken out: a slow one may just be far away.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace l4lb {

/// Of one backend, over some time.
struct ConnectTimes {
  uint64_t count = 0;
  uint64_t ms = 0;  // Of all together.

  double mean_ms() const { return static_cast<double>(ms) / static_cast<double>(count); }
};

struct SlowConnects {
  std::vector<bool> slow;  // By backend.
  double usual_ms = 0;     // The median of the backends' means.
};

/// With fewer connections than this a backend is not judged, nor does it count for the others.
inline constexpr uint64_t kFewestConnects = 10;

/// Slow is three times the median of at least three backends, and 5 ms.
SlowConnects FindSlowConnects(absl::Span<const ConnectTimes> backends);

}  // namespace l4lb

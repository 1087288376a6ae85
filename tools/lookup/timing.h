// SPDX-License-Identifier: Apache-2.0
//
// How long something takes, on one thread.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "tools/lookup/options.h"

namespace l4lb::lookup {

/// Of the rounds.
struct Timing {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// Nanoseconds of one of the `times` that `work(times)` does something, in rounds of at least
/// effort.round_ms each.  The first round is not counted.
Timing NanosecondsEach(const Effort& effort, absl::FunctionRef<void(uint64_t times)> work);

/// Milliseconds of `work()`, once a round; no further round begins after half a second.
Timing Milliseconds(const Effort& effort, absl::FunctionRef<void()> work);

}  // namespace l4lb::lookup

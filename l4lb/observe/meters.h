// SPDX-License-Identifier: Apache-2.0
//
// What one worker writes about a listener or a pool, and anybody may read at any time.  Made by
// whoever wants to read it, and shared, so that it outlives both.
#pragma once

#include "l4lb/observe/counters.h"
#include "l4lb/observe/timings.h"

namespace l4lb {

struct ListenerMeters {
  ListenerCounters counters;
  ListenerTimingCounters timings;
};

struct PoolMeters {
  PoolCounters counters;
  PoolTimingCounters timings;
};

}  // namespace l4lb

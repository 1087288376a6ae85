// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/timings.h"

namespace l4lb {
namespace {

// The times of a record are differences of a coarse clock: never let one wrap.
uint64_t NotNegative(int64_t ms) { return static_cast<uint64_t>(std::max<int64_t>(ms, 0)); }

}  // namespace

void PoolTimingCounters::Observe(const SessionRecord& record) {
  if (record.queue_ms > 0) queue.Observe(NotNegative(record.queue_ms));
  if (record.connect_ms >= 0) connect.Observe(NotNegative(record.connect_ms - record.queue_ms));
  if (record.first_byte_ms >= 0) first_byte.Observe(NotNegative(record.first_byte_ms));
}

void ListenerTimingCounters::Observe(const SessionRecord& record) {
  duration.Observe(NotNegative(record.total_ms));
  client_bytes.Observe(record.client_bytes);
  backend_bytes.Observe(record.backend_bytes);
}

#define L4LB_ADD(name, bounds, unit, meaning) name.Add(counters.name);

void PoolTimings::Add(const PoolTimingCounters& counters) { L4LB_POOL_TIMINGS(L4LB_ADD) }
void ListenerTimings::Add(const ListenerTimingCounters& counters) {
  L4LB_LISTENER_TIMINGS(L4LB_ADD)
}

#undef L4LB_ADD

}  // namespace l4lb

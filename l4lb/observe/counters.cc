// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/counters.h"

namespace l4lb {

#define L4LB_FIELD(name, meaning) name += counters.name.Get();

void ListenerSums::Add(const ListenerCounters& counters) {
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
  for (int i = 0; i < kCloseReasons; ++i) {
    closed_by_reason[i] += counters.closed_by_reason[i].Get();
  }
  for (int i = 0; i < kLimits; ++i) refused_by_limit[i] += counters.refused_by_limit[i].Get();
}

void PoolSums::Add(const PoolCounters& counters) { L4LB_POOL_COUNTERS(L4LB_FIELD) }

void WorkerSums::Add(const WorkerCounters& counters) { L4LB_WORKER_COUNTERS(L4LB_FIELD) }

#undef L4LB_FIELD

}  // namespace l4lb

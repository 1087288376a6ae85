// SPDX-License-Identifier: Apache-2.0
//
// What the sessions and listeners of one worker share.  Owned by the worker, used on its thread.
#pragma once

#include <cstdint>

#include "l4lb/backend/places.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/timer_wheel.h"
#include "l4lb/observe/access_log.h"
#include "l4lb/observe/counters.h"
#include "l4lb/observe/event_log.h"
#include "l4lb/proxy/block_pool.h"
#include "l4lb/proxy/closer.h"
#include "l4lb/proxy/crew.h"

namespace l4lb {

struct WorkerContext {
  Engine& engine;
  TimerWheel& timers;
  BlockPool& blocks;
  Places& places;  // max_connections of the process.
  Crew& crew;
  Closer& closer;
  EventLog& events;
  AccessLog* access_log;  // Null: off.
  WorkerCounters& counters;
  int index;                  // Of the worker.
  uint64_t last_session = 0;  // Numbers given out.
};

}  // namespace l4lb

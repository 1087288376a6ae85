// SPDX-License-Identifier: Apache-2.0
//
// What the sessions and listeners of one worker share.  Owned by the worker, used on its thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "l4lb/engine/engine.h"
#include "l4lb/observe/access_log.h"
#include "l4lb/observe/counters.h"
#include "l4lb/observe/event_log.h"
#include "l4lb/proxy/block_pool.h"
#include "l4lb/proxy/timer_wheel.h"

namespace l4lb {

/// Places for sessions in the whole process; shared by all workers.
class Places {
 public:
  explicit Places(int64_t limit) : limit_(limit) {}
  bool TryTake() {
    int64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used >= limit_) return false;
    } while (!used_.compare_exchange_weak(used, used + 1, std::memory_order_relaxed));
    return true;
  }
  void Give() { used_.fetch_sub(1, std::memory_order_relaxed); }
  bool full() const { return used_.load(std::memory_order_relaxed) >= limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

struct WorkerContext {
  Engine& engine;
  TimerWheel& timers;
  BlockPool& blocks;
  Places& places;
  EventLog& events;
  AccessLog* access_log;  // Null: off.
  WorkerCounters& counters;
  int index;                  // Of the worker.
  uint64_t last_session = 0;  // Numbers given out.
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Counters: one list per subject.  A block belongs to one worker, which alone writes it (relaxed
// load and store, no lock prefix); anybody may read, and adds the blocks of all workers up.
//
// What must add up, per listener:
//   accepted == active + closed
//   closed == sum over closed_by_reason
//   closed_by_reason[limit] == sum over refused_by_limit
//   client_bytes_taken == client_bytes_delivered + client_bytes_dropped, once no session is active
//   backend_bytes_taken == backend_bytes_delivered + backend_bytes_dropped, likewise
// and per pool:
//   connects == connects_established + connects_failed + connects_abandoned + those in flight
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "l4lb/observe/close_reason.h"
#include "l4lb/observe/limit.h"

namespace l4lb {

class Counter {
 public:
  void Add(uint64_t n = 1) { value_.store(Get() + n, std::memory_order_relaxed); }
  void Set(uint64_t n) { value_.store(n, std::memory_order_relaxed); }
  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// X(name, meaning)
#define L4LB_LISTENER_COUNTERS(X)                                                            \
  X(accepted, "connections accepted")                                                        \
  X(closed, "sessions that ended")                                                           \
  X(accept_errors, "times that accepting failed")                                            \
  X(paused_max_connections, "times that accepting paused at max_connections of the process") \
  X(paused_listener_max_connections, "times that accepting paused at the listener's own")    \
  X(paused_accept_rate, "times that accepting paused for accept_rate")                       \
  X(paused_no_fd, "times that accepting paused for want of a file descriptor")               \
  X(client_bytes_taken, "bytes read from clients")                                           \
  X(client_bytes_delivered, "bytes of clients delivered to backends")                        \
  X(client_bytes_dropped, "bytes of clients that could not be delivered")                    \
  X(backend_bytes_taken, "bytes read from backends")                                         \
  X(backend_bytes_delivered, "bytes of backends delivered to clients")                       \
  X(backend_bytes_dropped, "bytes of backends that could not be delivered")

#define L4LB_POOL_COUNTERS(X)                                                         \
  X(connects, "connections to backends begun")                                        \
  X(connects_established, "connections to backends established")                      \
  X(connects_failed, "connections to backends refused, unreachable or late")          \
  X(connects_abandoned, "connections to backends given up because the session ended") \
  X(retries, "connections begun after another one had failed")                        \
  X(queued, "sessions that waited for a place")                                       \
  X(queue_full, "sessions that found the queue full")                                 \
  X(queue_timeouts, "sessions that waited in vain")

#define L4LB_WORKER_COUNTERS(X)                                                   \
  X(turns, "turns of the event loop")                                             \
  X(handed_over, "connections accepted here and given to another worker")         \
  X(taken_over, "connections accepted by another worker and served here")         \
  X(copied_bytes, "bytes moved through a buffer")                                 \
  X(spliced_bytes, "bytes moved by splice")                                       \
  X(buffers_in_use, "buffers held by pumps now")                                  \
  X(buffer_waits, "times that a pump waited for a buffer")                        \
  X(pipes_open, "pipes open now")                                                 \
  X(pipes_in_use, "pipes held by pumps now")                                      \
  X(access_log_dropped, "access log lines dropped because the writer was behind") \
  X(log_suppressed, "log lines suppressed by the rate limit")

#define L4LB_FIELD(name, meaning) Counter name;

struct alignas(64) ListenerCounters {
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
  std::array<Counter, kCloseReasons> closed_by_reason;
  std::array<Counter, kLimits> refused_by_limit;
};

struct alignas(64) PoolCounters {
  L4LB_POOL_COUNTERS(L4LB_FIELD)
};

struct alignas(64) WorkerCounters {
  L4LB_WORKER_COUNTERS(L4LB_FIELD)
};

#undef L4LB_FIELD

// The same as plain values: the sums over all workers at one moment.
#define L4LB_FIELD(name, meaning) uint64_t name = 0;

struct ListenerSums {
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
  std::array<uint64_t, kCloseReasons> closed_by_reason{};
  std::array<uint64_t, kLimits> refused_by_limit{};

  void Add(const ListenerCounters& counters);
};

struct PoolSums {
  L4LB_POOL_COUNTERS(L4LB_FIELD)

  void Add(const PoolCounters& counters);
};

struct WorkerSums {
  L4LB_WORKER_COUNTERS(L4LB_FIELD)

  void Add(const WorkerCounters& counters);
};

#undef L4LB_FIELD

}  // namespace l4lb

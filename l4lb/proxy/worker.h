// SPDX-License-Identifier: Apache-2.0
//
// One worker: an engine, a timer wheel, and its share of every listener.  Made and run on its own
// thread; others reach it through Post() and read its published counters.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "l4lb/backend/pool.h"
#include "l4lb/engine/engine.h"
#include "l4lb/proxy/listener.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

/// What one worker is to do.  Everything pointed to outlives the worker.
struct WorkerPlan {
  struct Listen {
    const SessionNames* names = nullptr;
    SessionSettings settings;
    size_t pool = 0;           // Index into pools.
    std::vector<int> sockets;  // The worker closes them.
  };
  int index = 0;
  int count = 1;  // Of workers.
  std::vector<std::shared_ptr<const PoolSnapshot>> pools;
  std::vector<Listen> listeners;
  Places* places = nullptr;
  EventLog* events = nullptr;
  AccessLog* access_log = nullptr;  // Null: off.
};

class Worker {
 public:
  Worker(std::unique_ptr<Engine> engine, const WorkerPlan& plan);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Serves until Stop() was called and everything is closed.
  void Run();
  /// One turn.  For tests that drive a worker by hand; Open() first.
  void Turn();
  void Open();

  /// Runs `task` on the worker's thread in its next turn.  Any thread.
  void Post(std::function<void(Worker&)> task);

  // On the worker's thread.
  void StopListening();
  void CloseSessions(CloseReason reason);
  void Hurry();
  void Refresh();  ///< Brings all counters up to date.

  /// Nothing listens and no session is left.  Any thread; as of the end of the last turn.
  bool idle() const { return idle_.load(std::memory_order_acquire); }

  // Any thread may read the counters.
  const WorkerCounters& counters() const { return counters_; }
  const ListenerCounters& listener_counters(size_t listener) const;
  const PoolCounters& pool_counters(size_t pool) const;

 private:
  void RunMailbox();
  void Publish();

  std::unique_ptr<Engine> engine_;
  TimerWheel timers_;
  BlockPool blocks_;
  WorkerCounters counters_;
  WorkerContext context_;
  std::vector<std::unique_ptr<WorkerPool>> pools_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::atomic<bool> idle_{false};
  bool stopping_ = false;

  absl::Mutex mutex_;
  std::vector<std::function<void(Worker&)>> mailbox_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> has_mail_{false};
};

}  // namespace l4lb

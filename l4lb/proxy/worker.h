// SPDX-License-Identifier: Apache-2.0
//
// One worker: an engine, a timer wheel, and its share of every listener.  Made and run on its own
// thread; others reach it through Post() and read its published counters.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "l4lb/backend/waits.h"
#include "l4lb/backend/worker_pool.h"
#include "l4lb/engine/engine.h"
#include "l4lb/proxy/crew.h"
#include "l4lb/proxy/listener.h"
#include "l4lb/proxy/listener_limits.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

/// What one worker is to do.  Everything pointed to outlives the worker.
struct WorkerPlan {
  struct Listen {
    const SessionNames* names = nullptr;
    SessionSettings settings;
    size_t pool = 0;  // Index into pools.
    ListenerLimits* limits = nullptr;
    std::vector<int> sockets;  // The worker closes them.
  };
  int index = 0;
  uint64_t seed = 1;  // Of what policies draw; each worker has its own.
  std::vector<std::shared_ptr<const PoolSnapshot>> pools;
  std::vector<Listen> listeners;
  Places* places = nullptr;
  Crew* crew = nullptr;
  EventLog* events = nullptr;
  AccessLog* access_log = nullptr;  // Null: off.
};

class Worker final : public LeaseInbox {
 public:
  using Task = absl::AnyInvocable<void(Worker&)>;

  Worker(std::unique_ptr<Engine> engine, const WorkerPlan& plan);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Serves until Quit().
  void Run();
  /// One turn.  For tests that drive a worker by hand; Open() first.
  void Turn();

  // Any thread.

  /// Runs `task` on the worker's thread in its next turn.
  void Post(Task task);
  void PostLease(uint64_t ticket, Lease lease) override;

  // On the worker's thread.

  /// Begins to accept.  Every worker of the crew must be there.
  void Open();
  void TakeOver(size_t listener, int fd, const SocketAddress& client);
  void Adopt(size_t pool, std::shared_ptr<const PoolSnapshot> snapshot);
  void Resume();      ///< Places or descriptors have become free.
  void PauseForFd();  ///< Another worker has met the limit of open files.
  /// Run() returns at the end of the turn.  Only when no worker of the crew hands over any more.
  void Quit() { quit_ = true; }
  void StopListening();
  void CloseSessions(CloseReason reason);
  void Hurry();
  void Refresh();  ///< Brings all counters up to date.

  /// As of the end of the last turn, any thread.  closed(): it stopped listening, and will hand
  /// nothing over any more.  idle(): nor has it a session left; once every worker is closed, none
  /// will come.
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  bool idle() const { return closed() && context_.crew.sessions(context_.index) == 0; }

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
  Waits waits_{*this};
  WorkerCounters counters_;
  WorkerContext context_;
  std::vector<std::unique_ptr<WorkerPool>> pools_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::atomic<bool> closed_{false};
  bool stopping_ = false;
  bool quit_ = false;

  std::mutex mutex_;  // Of mailbox_; one that ThreadSanitizer knows.
  std::vector<Task> mailbox_;
  std::atomic<bool> has_mail_{false};
};

}  // namespace l4lb

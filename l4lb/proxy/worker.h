// SPDX-License-Identifier: Apache-2.0
//
// One worker: an engine, a timer wheel, and its share of every listener.  Made and run on its own
// thread; others reach it through Post() and read its published counters.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "l4lb/backend/waits.h"
#include "l4lb/backend/worker_pool.h"
#include "l4lb/engine/engine.h"
#include "l4lb/proxy/closer.h"
#include "l4lb/proxy/crew.h"
#include "l4lb/proxy/listener.h"
#include "l4lb/proxy/listener_limits.h"
#include "l4lb/proxy/session_set.h"
#include "l4lb/proxy/worker_context.h"

namespace l4lb {

/// What one worker is to do.  Everything pointed to outlives the worker.
struct WorkerPlan {
  struct Pool {
    uint32_t id = 0;  // The same on all workers, and never given again.
    std::shared_ptr<const PoolSnapshot> snapshot;
    std::shared_ptr<PoolMeters> meters = std::make_shared<PoolMeters>();
  };
  /// A socket that a listener has, and another gets, too.
  struct Inherited {
    uint32_t listener = 0;  // That has it, and stops only afterwards.
    uint32_t address = 0;
  };
  struct Listen {
    uint32_t id = 0;  // Likewise.
    const SessionNames* names = nullptr;
    SessionSettings settings;
    uint32_t pool = 0;  // Its id.
    ListenerLimits* limits = nullptr;
    std::vector<ListenSocket> sockets;
    std::vector<Inherited> inherited;
    /// Perhaps of a listener of the same name before it.
    std::shared_ptr<ListenerMeters> meters = std::make_shared<ListenerMeters>();
    std::shared_ptr<ListenerProgress> progress = std::make_shared<ListenerProgress>();
  };
  int index = 0;
  uint64_t seed = 1;  // Of what policies draw; each worker has its own.
  std::vector<Pool> pools;
  std::vector<Listen> listeners;
  Places* places = nullptr;
  Crew* crew = nullptr;
  EventLog* events = nullptr;
  AccessLog* access_log = nullptr;  // Null: off.
};

class Worker final : public LeaseInbox, private SessionSet {
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
  void TakeOver(uint32_t listener, int fd, const SocketAddress& client);

  void AddPool(const WorkerPlan::Pool& pool);
  void Adopt(uint32_t pool, std::shared_ptr<const PoolSnapshot> snapshot);
  /// No listener is left that uses it.
  void RemovePool(uint32_t pool);
  /// Its pool is there.  Accepts nothing before OpenListener().
  void AddListener(WorkerPlan::Listen listener);
  /// Every worker has it: who accepts may hand over.  Accepts at once if this worker does.
  void OpenListener(uint32_t listener);
  /// From now on, also for the sessions that it has.
  void ChangeListener(uint32_t listener, const SessionNames& names,
                      const SessionSettings& settings);
  /// Sets the options anew that accepted connections inherit.
  void TuneListener(uint32_t listener, const ListenOptions& options);
  void StopListener(uint32_t listener);
  /// Forgets it as soon as its last session has ended; says so in its progress.  Every worker has
  /// closed it.
  void RemoveListener(uint32_t listener);
  void Resume();      ///< Places or descriptors have become free.
  void PauseForFd();  ///< Another worker has met the limit of open files.
  /// Run() returns at the end of the turn.  Only when no worker of the crew hands over any more.
  void Quit() { quit_ = true; }
  void StopListening();
  void CloseSessions(CloseReason reason);
  void Hurry();
  void Drain(const DrainOrder& order) { closer_.Drain(order); }
  void EndDrain(const DrainTarget& target) { closer_.EndDrain(target); }
  /// Of this worker's sessions; see session_set.h.
  SessionSet& sessions() { return *this; }
  void Refresh();  ///< Brings all counters up to date.

  /// As of the end of the last turn, any thread.  closed(): it stopped listening, and will hand
  /// nothing over any more.  idle(): nor has it a session left; once every worker is closed, none
  /// will come.
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  bool idle() const { return closed() && context_.crew.sessions(context_.index) == 0; }

  // Any thread may read the counters.
  const WorkerCounters& counters() const { return counters_; }

 private:
  struct PoolSeat {
    uint32_t id;
    std::unique_ptr<WorkerPool> pool;
  };

  void ForEach(absl::FunctionRef<void(Session& session)> visit) override;
  void RunMailbox();
  void Publish();
  void ForgetRemoved();
  void ReviewDeadlines(const WorkerPool& pool);
  WorkerPool& pool(uint32_t id);
  Listener& listener(uint32_t id);

  std::unique_ptr<Engine> engine_;
  TimerWheel timers_;
  BlockPool blocks_;
  Waits waits_{*this};
  Closer closer_;
  WorkerCounters counters_;
  WorkerContext context_;
  const uint64_t seed_;
  std::vector<PoolSeat> pools_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::atomic<bool> closed_{false};
  bool open_ = false;
  bool removing_ = false;  // Some listener is.
  bool stopping_ = false;
  bool quit_ = false;

  std::mutex mutex_;  // Of mailbox_; one that ThreadSanitizer knows.
  std::vector<Task> mailbox_;
  std::atomic<bool> has_mail_{false};
};

}  // namespace l4lb

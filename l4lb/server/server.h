// SPDX-License-Identifier: Apache-2.0
//
// The whole daemon but its signals and its API: pools, listeners and workers, and every change to
// them.  Everything here is called on the control thread.
//
// A change is prepared first (names looked up, tables built, addresses bound), which may fail and
// disturbs nobody; then it is made, which cannot fail, and when the call returns, every worker
// knows.  server.cc starts and stops, reload.cc takes over a configuration, changes.cc has what the
// API asks for, health.cc what checks and sessions find, report.cc what the server says of itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "l4lb/admin/control.h"
#include "l4lb/config/config.h"
#include "l4lb/health/checker.h"
#include "l4lb/observe/access_log.h"
#include "l4lb/observe/event_log.h"
#include "l4lb/observe/status.h"
#include "l4lb/server/engine_choice.h"
#include "l4lb/server/health_inbox.h"
#include "l4lb/server/limits.h"
#include "l4lb/server/managed_listener.h"
#include "l4lb/server/managed_pool.h"
#include "l4lb/server/name_book.h"
#include "l4lb/server/worker_set.h"

namespace l4lb {

class Server {
 public:
  /// Nothing stays bound or running on failure; the error names the address or file and the reason.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const Config& config);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Config& config() const { return config_; }

  // What it says of itself.

  /// What was decided at start, for people: several lines, each with its newline.
  std::string Banner();
  /// Where the first listener listens.
  const std::string& FirstAddress() const {
    return listeners_.front()->addresses().front()->address;
  }
  /// Asks the workers for fresh figures and waits for them.
  ProcessStatus Status();
  /// All counters and gauges as one JSON object in one line, without a newline.
  std::string StatsJson();
  SessionList Sessions(const SessionQuery& query);

  // Changes.

  /// Takes over everything but the keys that need a restart; what did not change is not touched.
  absl::StatusOr<ReloadReport> Reload(const Config& config);
  absl::Status ReopenLogs();
  absl::Status ChangeBackend(const std::string& pool, const std::string& backend,
                             const BackendChange& change);
  absl::Status AddBackend(const std::string& pool, const NewBackend& backend);
  absl::Status RemoveBackend(const std::string& pool, const std::string& backend);
  absl::Status DrainListener(const std::string& name);
  absl::Status UndrainListener(const std::string& name);
  absl::StatusOr<int64_t> CloseSessionsOf(const std::string& pool, const std::string& backend);
  absl::Status CloseSession(uint64_t id);
  /// Begins; Tick() goes on.  Returns how many sessions are too many somewhere.
  absl::StatusOr<int64_t> Rebalance(const std::string& pool);

  /// To be called so often: forgets what is gone, goes on with rebalancing, ends ejections.
  static constexpr int64_t kTicksPerSecond = 10;
  void Tick();
  /// Something of that is to be done; else once in kSlowTick is enough.
  static constexpr absl::Duration kSlowTick = absl::Seconds(10);
  bool NeedsTick() const;

  /// Who calls HandleNews(); `wake` may be called on any thread, and must not wait.
  void SetWake(std::function<void()> wake) { inbox_.SetWake(std::move(wake)); }
  /// Does what follows from what checks and sessions have found.
  void HandleNews();

  // The end.

  /// No new sessions, for good.
  void StopListening();
  /// After StopListening(): sessions may go on for `timeout`; see `drain_spread`.
  void Drain(absl::Duration timeout);
  void CloseSessions(CloseReason reason);
  void Hurry();
  /// After StopListening(): the last session has ended.
  bool idle() const { return workers_.idle(); }

 private:
  struct Transition;  // reload.cc
  /// A pool that is to become even, and how many sessions each backend may still give up.
  struct Rebalancing {
    std::string pool;
    std::vector<ManagedPool::Excess> left;
  };

  explicit Server(const Config& config);
  absl::Status OpenLogs();
  absl::Status DecideEngine();
  absl::Status MakePools();
  absl::StatusOr<std::unique_ptr<ManagedPool>> MakePool(const Config::Pool& config,
                                                        ManagedPool::Birth birth);
  absl::Status Bind();
  absl::Status StartWorkers();
  WorkerPlan PlanFor(int worker);
  WorkerPlan::Pool PoolPlan(const ManagedPool& pool, int worker) const;
  const SessionNames& NamesOf(const ManagedListener& listener);
  absl::StatusOr<std::vector<std::shared_ptr<BoundAddress>>> BindFor(
      const Config& config, const Config::Listener& listener);
  void AwaitClosedSockets();

  // reload.cc
  absl::Status Prepare(const Config& config, Transition& transition);
  absl::Status PreparePools(const Config& config, Transition& transition);
  absl::Status PrepareListeners(const Config& config, Transition& transition);
  void Make(const Config& config, Transition& transition);
  void MakePoolChanges(Transition& transition);
  void MakeListenerChanges(Transition& transition);
  void ChangeInPlace(ManagedListener& listener, const Config::Listener& config);
  void Abandon(std::unique_ptr<ManagedListener> listener);
  void TakeOverProcessSettings();

  // health.cc
  void SyncChecks();
  void ApplyHealth(ManagedPool& pool);
  void TickHealth();
  PoolHealth::CheckStatuses CheckStatuses() const;

  // changes.cc
  absl::StatusOr<ManagedPool*> PoolNamed(const std::string& name);
  absl::StatusOr<ManagedListener*> ListenerNamed(const std::string& name);
  absl::Status CommitAlone(ManagedPool& pool, absl::StatusOr<ManagedPool::Draft> draft);
  bool CallOffDrains(ManagedPool& pool, const ManagedPool::Draft& draft);
  /// The two steps of ManagedPool; between them every worker takes a turn.
  ManagedPool::Effects Open(ManagedPool& pool, ManagedPool::Draft draft);
  void Close(ManagedPool& pool, const ManagedPool::Effects& effects);
  void DrainBackend(ManagedPool& pool, const std::shared_ptr<Backend>& backend,
                    absl::Duration timeout, CloseReason reason);
  void EndDrain(ManagedPool& pool, const std::shared_ptr<Backend>& backend);
  int64_t TellDrain(const DrainTarget& target, absl::Duration timeout, CloseReason reason);
  void TellEndDrain(const DrainTarget& target);
  std::vector<ManagedListener*> ReplacedBy(const std::string& name);
  void DrainSessionsOf(ManagedListener& listener);
  void CallOffDrain(ManagedListener& listener);
  bool RebalanceStep(const ManagedPool& pool, Rebalancing& rebalancing);
  void ForgetListeners();
  void ForgetBackends();
  void ForgetPools();

  ManagedPool* FindPool(const std::string& name);
  ManagedPool* FindPool(uint32_t id);
  ManagedListener* FindListener(const std::string& name);  // The latest of this name.
  /// One that was replaced or removed, and still has sessions.
  ManagedListener* FindGone(const std::string& name);
  void Introduce(ManagedListener& listener);

  Config config_;
  Limits limits_;
  EngineChoice engine_;
  int64_t start_unix_ms_ = 0;
  Places places_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<AccessLog> access_log_;
  NameBook names_;
  uint32_t last_id_ = 0;                                     // Of pools, listeners and addresses.
  std::vector<std::unique_ptr<ManagedPool>> pools_;          // In the configuration's order.
  std::vector<std::unique_ptr<ManagedPool>> removed_pools_;  // That still have sessions.
  std::vector<std::unique_ptr<ManagedListener>> listeners_;  // In the configuration's order.
  std::vector<std::unique_ptr<ManagedListener>> gone_;       // Replaced or removed.
  std::vector<Rebalancing> rebalancing_;
  int next_rebalancer_ = 0;  // A worker.
  bool stopped_listening_ = false;
  int64_t next_latency_look_ms_ = 0;
  HealthInbox inbox_;
  WorkerSet workers_;
  std::unique_ptr<Checker> checker_;  // Null: nobody is checked.
};

/// What a configuration amounts to, in one line with its newline: for --check.
std::string Summary(const Config& config);

}  // namespace l4lb

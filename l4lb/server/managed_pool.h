// SPDX-License-Identifier: Apache-2.0
//
// A pool as the control thread keeps it: what the configuration wants of it, what the API has set
// over that, and the snapshot that the workers have.  Control thread only.
//
// A change is first a Draft, which can fail and changes nothing for anybody, then a Commit(), which
// cannot fail.  A backend's identity is its name and its address: its counters and its sessions
// stay with it over every change that keeps both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/admin/control.h"
#include "l4lb/backend/pool.h"
#include "l4lb/config/config.h"
#include "l4lb/observe/access_log.h"
#include "l4lb/observe/meters.h"
#include "l4lb/observe/status.h"
#include "l4lb/server/build_pool.h"
#include "l4lb/server/pool_health.h"

namespace l4lb {

/// One backend: as configured, and what the API wants instead.
struct ManagedBackend {
  ConfiguredBackend configured;
  BackendChange overrides;  // What is not set, or as configured, is no override.
  bool by_api = false;      // The configuration does not know it.
  std::shared_ptr<Backend> backend;

  uint32_t weight() const;
  int64_t max_connections() const;
  BackendState state() const { return overrides.state.value_or(configured.state); }
  BackendTerms terms() const;
  std::vector<std::string> override_names() const;
};

class ManagedPool {
 public:
  /// What is to come: complete, and not in effect.
  struct Draft {
    Config::Pool config;
    std::vector<ManagedBackend> backends;
    std::vector<std::string> deleted;
    std::shared_ptr<const PoolSnapshot> snapshot;
    bool at_start = false;  // Of the process: its backends are not new.
  };
  /// What a commit asks of the sessions.
  struct Effects {
    std::vector<std::shared_ptr<Backend>> removed;
    std::vector<std::shared_ptr<Backend>> drained;  // Ready before.
    std::vector<std::shared_ptr<Backend>> downed;
  };

  enum class Birth { kAtStart, kLater };

  /// `id`: of the pool at the workers.  `birth`: with the process, or while it runs.
  static absl::StatusOr<std::unique_ptr<ManagedPool>> Make(uint32_t id, const Config::Pool& config,
                                                           int workers, Birth birth);

  uint32_t id() const { return id_; }
  const std::string& name() const { return config_.name; }
  const Config::Pool& config() const { return config_; }
  const std::vector<ManagedBackend>& backends() const { return backends_; }
  const std::shared_ptr<const PoolSnapshot>& snapshot() const { return snapshot_; }
  const std::shared_ptr<PoolMeters>& meters(int worker) const { return meters_[worker]; }
  Pool& pool() const { return *pool_; }
  PoolHealth& health() { return health_; }
  const PoolHealth& health() const { return health_; }
  /// Backends out of the configuration that still have sessions, or had them a moment ago.
  const std::vector<std::shared_ptr<Backend>>& retired() const { return retired_; }

  /// Null: there is no such backend.
  const ManagedBackend* Find(const std::string& backend) const;
  absl::Status NoSuchBackend(const std::string& backend) const;
  /// Of the backends that take sessions, those with more than their share by weight.
  struct Excess {
    std::shared_ptr<Backend> backend;
    int64_t count;
  };
  std::vector<Excess> ExcessOfShare() const;

  // Drafts.  Each begins with what is in effect.

  /// What the API has set stays, but where this configuration says something new of that backend.
  absl::StatusOr<Draft> Reload(const Config::Pool& config);
  absl::StatusOr<Draft> Change(const std::string& name, const BackendChange& change);
  absl::StatusOr<Draft> Add(const NewBackend& wanted);
  absl::StatusOr<Draft> Remove(const std::string& name);
  /// Without any backend: out of the configuration.
  Draft Nothing();

  /// Those that a drain of their sessions was noted for, and that `draft` makes ready (again).
  std::vector<std::shared_ptr<Backend>> RestoredBy(const Draft& draft) const;
  /// In two steps, so that a session always finds somebody: what comes takes sessions from now on,
  /// and what goes still does.  Once every worker has the new snapshot, Close() ends that.
  Effects Open(Draft draft);
  void Close(const Effects& effects);
  /// Both at once.
  Effects Commit(Draft draft);

  /// Decides anew what its health says, and puts it into effect.
  void ApplyHealth(int64_t now_ms);
  /// Puts into effect what was decided.
  void SetTerms(int64_t now_ms);

  /// A drain of its sessions ends at `until_ms` (of Clock::NowMs()); 0: it is called off.
  void NoteDrain(const Backend& backend, int64_t until_ms);

  /// Forgets retired backends that nobody refers to, nor a line that `log` has yet to write, and
  /// that the call before has found to be unused.  If there are such, every worker must have taken
  /// a turn meanwhile: who gives the last lease back looks at its backend once more.
  void ForgetUnused(const AccessLog* log);
  bool has_unused() const { return !unused_since_.empty(); }
  /// Nobody has a session or waits here.
  bool idle() const { return pool_->places().used() == 0 && pool_->waiting() == 0; }

  /// `checks`: what the checker says.
  PoolStatus Status(int64_t now_ms, const PoolHealth::CheckStatuses& checks) const;

 private:
  using Identity = std::pair<std::string, std::string>;  // Name and address.
  using Objects = absl::flat_hash_map<Identity, std::shared_ptr<Backend>>;

  ManagedPool(uint32_t id, const Config::Pool& config, int workers);
  absl::StatusOr<Draft> Complete(Config::Pool config, std::vector<ManagedBackend> backends,
                                 std::vector<std::string> deleted);
  absl::Status GiveObject(const Objects& objects, ManagedBackend& backend);
  std::vector<PoolHealth::Member> Members() const;
  BackendTerms TermsOf(const ManagedBackend& backend, int64_t now_ms) const;
  BackendStatus TotalsOf(const Backend& backend, int64_t now_ms) const;
  BackendStatus StatusOf(const ManagedBackend& managed, int64_t now_ms) const;
  int64_t DrainLeftMs(const Backend& backend, int64_t now_ms) const;

  const uint32_t id_;
  Config::Pool config_;
  std::shared_ptr<Pool> pool_;
  PoolHealth health_;
  std::vector<ManagedBackend> backends_;
  std::vector<std::string> deleted_;  // Configured, and taken out by the API.
  std::shared_ptr<const PoolSnapshot> snapshot_;
  std::vector<std::shared_ptr<PoolMeters>> meters_;  // By worker.
  std::vector<std::shared_ptr<Backend>> retired_;
  absl::flat_hash_map<const Backend*, int64_t> drain_until_ms_;
  // What had been appended to the access log when a retired backend became unused.
  absl::flat_hash_map<const Backend*, AccessLog::Mark> unused_since_;
};

}  // namespace l4lb

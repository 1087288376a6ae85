// SPDX-License-Identifier: Apache-2.0
//
// What the admin API may ask of the daemon.  server/ implements it: every call may come from any
// thread, is answered by the control thread, and returns in seconds at most (DeadlineExceeded).
// A change is checked first and made whole or not at all; when it returns OK, every worker knows.
//
// Errors say what is wrong and what would be right: NotFound (no such pool, backend, listener,
// session), InvalidArgument (a value), AlreadyExists (a name), FailedPrecondition (not now),
// ResourceExhausted (too many), DeadlineExceeded, Unavailable (the process is about to stop).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/observe/session_filter.h"
#include "l4lb/observe/status.h"

namespace l4lb {

/// Who asked, for the log: "127.0.0.1:40312", "unix", "SIGHUP".
struct Caller {
  std::string name;
};

/// What is to be changed; what is not set stays.
struct BackendChange {
  std::optional<BackendState> state;
  std::optional<int64_t> weight;           // 0 to 1000.
  std::optional<int64_t> max_connections;  // 0: no limit.
};

struct NewBackend {
  std::string name;     // Empty: its address.
  std::string address;  // As in the configuration.
  int64_t weight = 1;
  int64_t max_connections = 0;
  BackendState state = BackendState::kReady;
  bool backup = false;
};

using SessionQuery = SessionFilter;

struct SessionList {
  std::vector<SessionStatus> sessions;  // Sorted, at most `limit`.
  int64_t matching = 0;                 // How many the query found in all.
};

/// What a reload came to.
struct ReloadReport {
  bool changed = false;
  std::string hash;  // Of the configuration that is running now.
  std::vector<std::string>
      changes;  // For people: "pool a: + backend b3", "listener x: idle_timeout".
  std::vector<std::string> ignored;  // Changes that need a restart: "workers: 2 -> 4".
};

class Control {
 public:
  virtual ~Control() = default;

  virtual absl::StatusOr<ProcessStatus> Status() = 0;
  /// The configuration that is running, as --print_config writes it, overrides not included.
  virtual absl::StatusOr<std::string> ConfigText() = 0;
  virtual absl::StatusOr<SessionList> Sessions(const SessionQuery& query) = 0;
  /// Takes new sessions: no drain has begun.  Never waits.
  virtual bool ready() const = 0;

  virtual absl::Status ChangeBackend(const std::string& pool, const std::string& backend,
                                     const BackendChange& change, const Caller& caller) = 0;
  virtual absl::Status AddBackend(const std::string& pool, const NewBackend& backend,
                                  const Caller& caller) = 0;
  /// Its sessions go the way of the pool's on_remove.
  virtual absl::Status RemoveBackend(const std::string& pool, const std::string& backend,
                                     const Caller& caller) = 0;
  /// Returns how many sessions were told to close.
  virtual absl::StatusOr<int64_t> CloseSessionsOf(const std::string& pool,
                                                  const std::string& backend,
                                                  const Caller& caller) = 0;
  virtual absl::Status CloseSession(uint64_t id, const Caller& caller) = 0;
  /// No new sessions; after drain_timeout those that are left are closed.  Undone by UndrainX.
  virtual absl::Status DrainBackend(const std::string& pool, const std::string& backend,
                                    const Caller& caller) = 0;
  virtual absl::Status UndrainBackend(const std::string& pool, const std::string& backend,
                                      const Caller& caller) = 0;
  virtual absl::Status DrainListener(const std::string& listener, const Caller& caller) = 0;
  virtual absl::Status UndrainListener(const std::string& listener, const Caller& caller) = 0;
  /// As SIGTERM: the process stops when its sessions have ended.
  virtual absl::Status DrainProcess(const Caller& caller) = 0;
  virtual absl::StatusOr<ReloadReport> Reload(const Caller& caller) = 0;
  /// Begins to even out a pool's sessions.  Returns how many are to be closed.
  virtual absl::StatusOr<int64_t> Rebalance(const std::string& pool, const Caller& caller) = 0;
};

}  // namespace l4lb

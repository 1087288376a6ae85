// SPDX-License-Identifier: Apache-2.0
//
// The control thread's life: signals, what other threads ask for, the configuration file, and the
// way to the end.
//
//   SIGTERM, SIGINT  not ready for shutdown_delay, then a drain: no new sessions, open ones may go
//                    on for drain_timeout; a second one closes them at once
//   SIGHUP           reloads the configuration file and opens the access log anew
//   SIGUSR1          writes all counters as one JSON line to stderr
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "l4lb/admin/control.h"
#include "l4lb/net/unique_fd.h"
#include "l4lb/server/config_source.h"
#include "l4lb/server/file_watch.h"
#include "l4lb/server/server.h"

namespace l4lb {

/// Blocks the signals above.  To be called before any thread is made.
void BlockSignals();

class ControlLoop {
 public:
  using Task = absl::AnyInvocable<void()>;

  /// `on_reload` runs after each configuration that was taken over, changed or not.
  ControlLoop(Server& server, ConfigSource source,
              std::function<void(const Config&)> on_reload = {});

  /// Returns when every session has ended after a stop.
  void Run();

  // Any thread.

  /// False: the loop has ended, or is about to.
  bool Post(Task task);
  /// No stop has begun.
  bool ready() const { return ready_.load(std::memory_order_relaxed); }

  // On the control thread.

  Server& server() { return server_; }
  ProcessStatus Status();
  absl::StatusOr<ReloadReport> Reload(const Caller& caller);
  /// As SIGTERM.
  void Stop(const Caller& caller);

 private:
  enum class Phase { kServing, kDelay, kDraining, kClosing, kHurrying, kEnded };

  void Wait();
  absl::Duration Patience() const;
  void OnSignals();
  void OnSignal(int number);
  void RunTasks();
  void Look();
  void WatchFile();
  void BeginDrain();
  void Advance();
  void Enter(Phase phase, absl::Duration patience);

  Server& server_;
  ConfigSource source_;
  const std::function<void(const Config&)> on_reload_;
  const UniqueFd signals_;
  const UniqueFd wake_;
  std::atomic<bool> ready_{true};
  Phase phase_ = Phase::kServing;
  absl::Time phase_ends_ = absl::InfiniteFuture();
  absl::Time next_tick_ = absl::InfinitePast();
  absl::Time next_look_ = absl::InfinitePast();
  std::optional<FileWatch> watch_;

  std::mutex mutex_;  // Of all below.
  std::vector<Task> tasks_;
  bool ended_ = false;
};

}  // namespace l4lb

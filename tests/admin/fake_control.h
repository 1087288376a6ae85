// SPDX-License-Identifier: Apache-2.0
//
// A daemon that only remembers what it was asked for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "l4lb/admin/control.h"

namespace l4lb {

class FakeControl final : public Control {
 public:
  /// One listener "web" and one pool "a pool/1" with the backends "b1" and "b2".
  FakeControl();

  ProcessStatus status;  // Before the threads start.
  SessionList sessions;
  absl::Status failure;  // Of every change that comes, unless it is OK.
  ReloadReport report;
  std::atomic<bool> is_ready = true;

  /// The changes so far, such as "ChangeBackend a pool/1 b1 weight=5 by 127.0.0.1:1".
  std::vector<std::string> calls() const;
  size_t call_count() const;
  SessionQuery last_query() const;
  /// How many calls wait, or have waited, in Block().
  int blocked() const;
  /// From now on Status() waits, as a control thread that is busy makes it.
  void Block();
  void Unblock();

  absl::StatusOr<ProcessStatus> Status() override;
  absl::StatusOr<std::string> ConfigText() override;
  absl::StatusOr<SessionList> Sessions(const SessionQuery& query) override;
  bool ready() const override { return is_ready; }
  absl::Status ChangeBackend(const std::string& pool, const std::string& backend,
                             const BackendChange& change, const Caller& caller) override;
  absl::Status AddBackend(const std::string& pool, const NewBackend& backend,
                          const Caller& caller) override;
  absl::Status RemoveBackend(const std::string& pool, const std::string& backend,
                             const Caller& caller) override;
  absl::StatusOr<int64_t> CloseSessionsOf(const std::string& pool, const std::string& backend,
                                          const Caller& caller) override;
  absl::Status CloseSession(uint64_t id, const Caller& caller) override;
  absl::Status DrainBackend(const std::string& pool, const std::string& backend,
                            const Caller& caller) override;
  absl::Status UndrainBackend(const std::string& pool, const std::string& backend,
                              const Caller& caller) override;
  absl::Status DrainListener(const std::string& listener, const Caller& caller) override;
  absl::Status UndrainListener(const std::string& listener, const Caller& caller) override;
  absl::Status DrainProcess(const Caller& caller) override;
  absl::StatusOr<ReloadReport> Reload(const Caller& caller) override;
  absl::StatusOr<int64_t> Rebalance(const std::string& pool, const Caller& caller) override;

 private:
  absl::Status Note(std::string what, const Caller& caller);
  absl::StatusOr<int64_t> Count(std::string what, const Caller& caller);

  mutable std::mutex mutex_;
  std::condition_variable unblocked_;
  std::vector<std::string> calls_;
  SessionQuery query_;
  bool blocking_ = false;
  int blocked_ = 0;
};

/// A pool like that of FakeControl with so many backends, "b0" and so on.
PoolStatus PoolOf(int backends);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Where the admin API's threads ask the control thread.
#pragma once

#include <string>

#include "l4lb/admin/control.h"
#include "l4lb/server/control_loop.h"

namespace l4lb {

class ControlDesk final : public Control {
 public:
  explicit ControlDesk(ControlLoop& loop) : loop_(loop) {}

  absl::StatusOr<ProcessStatus> Status() override;
  absl::StatusOr<std::string> ConfigText() override;
  absl::StatusOr<SessionList> Sessions(const SessionQuery& query) override;
  bool ready() const override { return loop_.ready(); }
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
  ControlLoop& loop_;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What a pool says of itself.
#include <algorithm>

#include "l4lb/server/managed_pool.h"

namespace l4lb {

PoolStatus ManagedPool::Status(int64_t now_ms, const PoolHealth::CheckStatuses& checks) const {
  PoolStatus status;
  status.name = name();
  status.policy = Name(PolicyOf(config_.policy));
  for (const auto& meters : meters_) {
    status.sums.Add(meters->counters);
    status.timings.Add(meters->timings);
  }
  status.active = pool_->places().used();
  status.max_connections = config_.max_connections;
  status.waiting = pool_->waiting();
  status.queue_limit = pool_->queue_limit();
  if (snapshot_->lookup != nullptr) {
    status.table = snapshot_->lookup->size_text();
    status.table_checksum = snapshot_->lookup->checksum();
  }
  health_.Report(status);
  for (const ManagedBackend& backend : backends_) {
    status.backends.push_back(StatusOf(backend, now_ms));
    health_.Report(*backend.backend, checks, now_ms, status.backends.back());
  }
  for (const auto& backend : retired_) {
    if (backend->active() == 0) continue;
    // Names are unique: one that came back with another address has the sessions of both.
    const auto same =
        std::find_if(status.backends.begin(), status.backends.end(),
                     [&backend](const BackendStatus& it) { return it.name == backend->name(); });
    if (same != status.backends.end()) {
      same->active += backend->active();
      continue;
    }
    status.backends.push_back(TotalsOf(*backend, now_ms));
    status.backends.back().weight = 0;
    status.backends.back().removed = true;
    status.backends.back().takes_sessions = false;
  }
  return status;
}

void ManagedPool::NoteDrain(const Backend& backend, int64_t until_ms) {
  if (until_ms == 0) {
    drain_until_ms_.erase(&backend);
  } else {
    drain_until_ms_[&backend] = until_ms;
  }
}

int64_t ManagedPool::DrainLeftMs(const Backend& backend, int64_t now_ms) const {
  const auto found = drain_until_ms_.find(&backend);
  return found == drain_until_ms_.end() ? -1 : std::max<int64_t>(found->second - now_ms, 0);
}

BackendStatus ManagedPool::TotalsOf(const Backend& backend, int64_t now_ms) const {
  const Tally tally = backend.tally();
  return {.name = backend.name(),
          .address = backend.address_text(),
          .active = backend.active(),
          .sessions = tally.sessions,
          .failures = tally.failures,
          .drain_left_ms = DrainLeftMs(backend, now_ms),
          .early_resets = tally.early_resets};
}

BackendStatus ManagedPool::StatusOf(const ManagedBackend& managed, int64_t now_ms) const {
  BackendStatus status = TotalsOf(*managed.backend, now_ms);
  status.weight = managed.weight();
  status.max_connections = managed.max_connections();
  status.state = managed.state();
  status.overrides = managed.override_names();
  status.by_api = managed.by_api;
  return status;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// From a draft to what the workers have, and what the backends' health makes of it.
#include <algorithm>
#include <utility>

#include "glog/logging.h"
#include "l4lb/net/clock.h"
#include "l4lb/server/managed_pool.h"

namespace l4lb {

std::vector<std::shared_ptr<Backend>> ManagedPool::RestoredBy(const Draft& draft) const {
  std::vector<std::shared_ptr<Backend>> restored;
  for (const ManagedBackend& backend : draft.backends) {
    const bool drains = drain_until_ms_.contains(backend.backend.get()) &&
                        !health_.drained(*backend.backend);  // Which its health may end.
    if (drains && backend.state() == BackendState::kReady) restored.push_back(backend.backend);
  }
  return restored;
}

ManagedPool::Effects ManagedPool::Commit(Draft draft) {
  Effects effects = Open(std::move(draft));
  Close(effects);
  return effects;
}

ManagedPool::Effects ManagedPool::Open(Draft draft) {
  Effects effects;
  absl::flat_hash_map<const Backend*, BackendState> before;
  for (const ManagedBackend& backend : backends_) before[backend.backend.get()] = backend.state();
  absl::flat_hash_set<const Backend*> after;
  for (const ManagedBackend& backend : draft.backends) {
    after.insert(backend.backend.get());
    const auto found = before.find(backend.backend.get());
    const BackendState was = found == before.end() ? BackendState::kReady : found->second;
    if (backend.state() == was || backend.state() == BackendState::kReady) continue;
    (backend.state() == BackendState::kDrain ? effects.drained : effects.downed)
        .push_back(backend.backend);
  }
  for (const ManagedBackend& backend : backends_) {
    if (after.contains(backend.backend.get())) continue;
    effects.removed.push_back(backend.backend);
    retired_.push_back(backend.backend);
  }
  std::erase_if(retired_, [&after](const auto& backend) { return after.contains(backend.get()); });
  for (const ManagedBackend& backend : draft.backends) {
    unused_since_.erase(backend.backend.get());
  }
  config_ = std::move(draft.config);
  backends_ = std::move(draft.backends);
  deleted_ = std::move(draft.deleted);
  snapshot_ = std::move(draft.snapshot);
  pool_->SetLimits(LimitsOf(config_));
  health_.Settle(config_, Members(), draft.at_start);
  const int64_t now_ms = Clock::Real().NowMs();
  health_.Update(now_ms);
  for (const ManagedBackend& backend : backends_) {
    const BackendTerms terms = TermsOf(backend, now_ms);
    if (terms.takes_sessions()) pool_->SetTerms(*backend.backend, terms);
  }
  return effects;
}

std::vector<PoolHealth::Member> ManagedPool::Members() const {
  std::vector<PoolHealth::Member> members;
  members.reserve(backends_.size());
  for (const ManagedBackend& backend : backends_) {
    members.push_back({.backend = backend.backend,
                       .ready = backend.terms().takes_sessions(),
                       .backup = backend.configured.backup,
                       .weight = backend.weight()});
  }
  return members;
}

BackendTerms ManagedPool::TermsOf(const ManagedBackend& backend, int64_t now_ms) const {
  return health_.Apply(*backend.backend, backend.terms(), now_ms);
}

void ManagedPool::ApplyHealth(int64_t now_ms) {
  health_.Update(now_ms);
  SetTerms(now_ms);
}

void ManagedPool::SetTerms(int64_t now_ms) {
  // First who comes, then who goes: no session finds neither.
  for (const bool takes : {true, false}) {
    for (const ManagedBackend& backend : backends_) {
      const BackendTerms terms = TermsOf(backend, now_ms);
      if (terms.takes_sessions() == takes) pool_->SetTerms(*backend.backend, terms);
    }
  }
}

void ManagedPool::Close(const Effects& effects) {
  for (const auto& backend : effects.removed) pool_->SetTerms(*backend, {.open = false});
  ApplyHealth(Clock::Real().NowMs());
}

void ManagedPool::ForgetUnused(const AccessLog* log) {
  std::erase_if(retired_, [this, log](std::shared_ptr<Backend>& backend) {
    if (!pool_->IsUnused(backend)) return false;
    const auto [since, first] = unused_since_.try_emplace(backend.get());
    if (first) {
      if (log != nullptr) since->second = log->Now();
      return false;
    }
    if (log != nullptr && !log->HasPassed(since->second)) return false;
    unused_since_.erase(since);
    drain_until_ms_.erase(backend.get());
    pool_->Forget(std::move(backend));
    return true;
  });
}

}  // namespace l4lb

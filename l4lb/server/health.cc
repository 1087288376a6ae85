// SPDX-License-Identifier: Apache-2.0
//
// What follows from what checks and sessions have found of the backends.
#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <variant>

#include "glog/logging.h"
#include "l4lb/net/clock.h"
#include "l4lb/server/server.h"

namespace l4lb {
namespace {

constexpr int64_t kLatencyLookMs = 10'000;

}  // namespace

// Brings the checker up to date with what the pools want.  It is there from the first pool on that
// wants checks: always on epoll, which needs nothing that a machine may not have.
void Server::SyncChecks() {
  const auto wants_checks = [](const auto& pool) { return pool->health().wants_checks(); };
  if (checker_ == nullptr && std::none_of(pools_.begin(), pools_.end(), wants_checks)) return;
  const auto most =
      static_cast<int>(std::max<int64_t>(FdsOfChecks(config_, limits_.open_files), 1));
  if (checker_ == nullptr) {
    auto checker =
        Checker::Start({.engine = EngineKind::kEpoll,
                        .most_in_flight = most,
                        .seed = std::random_device()(),
                        .on_news = [this](const CheckNews& news) { inbox_.Post(news); }});
    if (!checker.ok()) {
      LOG(ERROR) << "health checks cannot begin: " << checker.status().message();
      return;
    }
    checker_ = *std::move(checker);
  }
  checker_->SetMostInFlight(most);
  for (const auto& pool : pools_) {
    pool->health().SyncChecks(checker_.get());
    // Of one that nobody checks any more nothing is known; and what on_down is about may have
    // changed with the pool.
    ApplyHealth(*pool);
  }
}

void Server::HandleNews() {
  const int64_t now_ms = Clock::Real().NowMs();
  std::set<ManagedPool*> changed;
  for (const HealthInbox::News& news : inbox_.Take()) {
    if (const auto* failure = std::get_if<HealthInbox::Failure>(&news)) {
      ManagedPool* const pool = FindPool(failure->pool);
      if (pool == nullptr) continue;
      if (pool->health().OnFailure(failure->backend, now_ms)) changed.insert(pool);
      continue;
    }
    for (const auto& pool : pools_) {
      if (pool->health().OnCheck(std::get<CheckNews>(news), now_ms)) changed.insert(pool.get());
    }
  }
  for (ManagedPool* pool : changed) ApplyHealth(*pool);
}

void Server::ApplyHealth(ManagedPool& pool) {
  const int64_t now_ms = Clock::Real().NowMs();
  PoolHealth& health = pool.health();
  health.Update(now_ms);
  // What on_down has begun ends before a backend takes sessions again: as CallOffDrains().
  bool called_off = false;
  for (const ManagedBackend& managed : pool.backends()) {
    const Backend& backend = *managed.backend;
    if (!health.drained(backend) || health.IsDown(backend)) continue;
    health.SetDrained(backend, false);
    EndDrain(pool, managed.backend);
    called_off = true;
  }
  if (called_off) workers_.AwaitTurn();
  pool.SetTerms(now_ms);
  if (pool.config().on_down == absl::InfiniteDuration()) return;
  for (const ManagedBackend& managed : pool.backends()) {
    const Backend& backend = *managed.backend;
    if (health.drained(backend) || !health.IsDown(backend)) continue;
    health.SetDrained(backend, true);
    DrainBackend(pool, managed.backend, pool.config().on_down, CloseReason::backend_down);
  }
}

void Server::TickHealth() {
  const int64_t now_ms = Clock::Real().NowMs();
  for (const auto& pool : pools_) {
    if (pool->health().needs_tick() && pool->health().Tick(now_ms)) ApplyHealth(*pool);
  }
  if (now_ms < next_latency_look_ms_) return;
  next_latency_look_ms_ = now_ms + kLatencyLookMs;
  for (const auto& pool : pools_) pool->health().LookForSlowOnes();
}

PoolHealth::CheckStatuses Server::CheckStatuses() const {
  return checker_ == nullptr ? PoolHealth::CheckStatuses() : checker_->Status();
}

}  // namespace l4lb

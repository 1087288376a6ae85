// SPDX-License-Identifier: Apache-2.0
//
// What the API asks for, and what is done a few times a second.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "l4lb/net/clock.h"
#include "l4lb/server/server.h"

namespace l4lb {
namespace {

// A rebalance closes a tenth of a pool's sessions a second at most, or one a tick: their clients
// all come back.
constexpr int64_t kRebalanceDivisor = 10 * Server::kTicksPerSecond;

template <typename Items, typename NameOfItem>
std::string Names(const Items& items, NameOfItem name_of) {
  return absl::StrJoin(items, ", ", [&name_of](std::string* out, const auto& item) {
    absl::StrAppend(out, name_of(*item));
  });
}

}  // namespace

absl::StatusOr<ManagedPool*> Server::PoolNamed(const std::string& name) {
  if (ManagedPool* pool = FindPool(name)) return pool;
  return absl::NotFoundError(absl::StrCat(
      "there is no pool ", name,
      "; there are: ", Names(pools_, [](const ManagedPool& pool) { return pool.name(); })));
}

absl::StatusOr<ManagedListener*> Server::ListenerNamed(const std::string& name) {
  if (ManagedListener* listener = FindListener(name)) return listener;
  return absl::NotFoundError(absl::StrCat(
      "there is no listener ", name, "; there are: ",
      Names(listeners_, [](const ManagedListener& listener) { return listener.config().name; })));
}

absl::Status Server::CommitAlone(ManagedPool& pool, absl::StatusOr<ManagedPool::Draft> draft) {
  if (!draft.ok()) return draft.status();
  if (CallOffDrains(pool, *draft)) workers_.AwaitTurn();
  const ManagedPool::Effects effects = Open(pool, *std::move(draft));
  const bool all_know = workers_.AwaitTurn();
  Close(pool, effects);
  SyncChecks();
  if (workers_.AwaitTurn() && all_know) return absl::OkStatus();
  return absl::DeadlineExceededError("the change is made, but not every worker has taken it yet");
}

// Of backends that take sessions again.  A worker that did not know before it picks one of them
// would close the new session as one of a backend that is over.
bool Server::CallOffDrains(ManagedPool& pool, const ManagedPool::Draft& draft) {
  const std::vector<std::shared_ptr<Backend>> restored = pool.RestoredBy(draft);
  for (const auto& backend : restored) EndDrain(pool, backend);
  return !restored.empty();
}

void Server::EndDrain(ManagedPool& pool, const std::shared_ptr<Backend>& backend) {
  pool.NoteDrain(*backend, 0);
  DrainTarget target;
  target.backend = backend;
  TellEndDrain(target);
}

ManagedPool::Effects Server::Open(ManagedPool& pool, ManagedPool::Draft draft) {
  ManagedPool::Effects effects = pool.Open(std::move(draft));
  workers_.Tell(
      [id = pool.id(), snapshot = pool.snapshot()](Worker& worker) { worker.Adopt(id, snapshot); });
  return effects;
}

// And what becomes of the sessions of backends that take no more.
void Server::Close(ManagedPool& pool, const ManagedPool::Effects& effects) {
  pool.Close(effects);
  for (const auto& backend : effects.drained) {
    DrainBackend(pool, backend, config_.drain_timeout, CloseReason::drained);
  }
  for (const auto& backend : effects.downed) {
    DrainBackend(pool, backend, absl::ZeroDuration(), CloseReason::backend_down);
  }
  for (const auto& backend : effects.removed) {
    DrainBackend(pool, backend, pool.config().on_remove, CloseReason::drained);
  }
}

void Server::DrainBackend(ManagedPool& pool, const std::shared_ptr<Backend>& backend,
                          absl::Duration timeout, CloseReason reason) {
  if (timeout == absl::InfiniteDuration()) return;
  DrainTarget target;
  target.backend = backend;
  pool.NoteDrain(*backend, TellDrain(target, timeout, reason));
}

// Returns when it ends, of Clock::NowMs().
int64_t Server::TellDrain(const DrainTarget& target, absl::Duration timeout, CloseReason reason) {
  const int64_t timeout_ms = absl::ToInt64Milliseconds(timeout);
  const DrainOrder order{.target = target,
                         .timeout_ms = timeout_ms,
                         .spread_ms = absl::ToInt64Milliseconds(config_.drain_spread),
                         .reason = reason};
  workers_.Tell([order](Worker& worker) { worker.Drain(order); });
  return Clock::Real().NowMs() + timeout_ms;
}

void Server::TellEndDrain(const DrainTarget& target) {
  workers_.Tell([target](Worker& worker) { worker.EndDrain(target); });
}

absl::Status Server::ChangeBackend(const std::string& pool, const std::string& backend,
                                   const BackendChange& change) {
  const absl::StatusOr<ManagedPool*> found = PoolNamed(pool);
  return found.ok() ? CommitAlone(**found, (*found)->Change(backend, change)) : found.status();
}

absl::Status Server::AddBackend(const std::string& pool, const NewBackend& backend) {
  const absl::StatusOr<ManagedPool*> found = PoolNamed(pool);
  return found.ok() ? CommitAlone(**found, (*found)->Add(backend)) : found.status();
}

absl::Status Server::RemoveBackend(const std::string& pool, const std::string& backend) {
  const absl::StatusOr<ManagedPool*> found = PoolNamed(pool);
  return found.ok() ? CommitAlone(**found, (*found)->Remove(backend)) : found.status();
}

absl::Status Server::DrainListener(const std::string& name) {
  const absl::StatusOr<ManagedListener*> listener = ListenerNamed(name);
  if (!listener.ok()) return listener.status();
  if ((*listener)->state == ManagedListener::State::kDrained) return absl::OkStatus();
  (*listener)->state = ManagedListener::State::kDrained;
  (*listener)->Release();
  workers_.Tell([id = (*listener)->id()](Worker& worker) { worker.StopListener(id); });
  DrainSessionsOf(**listener);
  for (ManagedListener* before : ReplacedBy(name)) DrainSessionsOf(*before);
  workers_.AwaitTurn();
  return absl::OkStatus();
}

// Those that had the name before, and still have sessions.
std::vector<ManagedListener*> Server::ReplacedBy(const std::string& name) {
  std::vector<ManagedListener*> before;
  for (const auto& listener : gone_) {
    if (listener->state == ManagedListener::State::kReplaced && listener->config().name == name) {
      before.push_back(listener.get());
    }
  }
  return before;
}

void Server::DrainSessionsOf(ManagedListener& listener) {
  if (!listener.told() || listener.forgotten()) return;  // No worker would ever forget the order.
  if (listener.drain_until_ms != 0) return;
  DrainTarget target;
  target.listener = listener.id();
  listener.drain_until_ms = TellDrain(target, config_.drain_timeout, CloseReason::drained);
}

void Server::CallOffDrain(ManagedListener& listener) {
  listener.drain_until_ms = 0;
  DrainTarget target;
  target.listener = listener.id();
  TellEndDrain(target);
}

// Its sockets are closed: another takes its place, and its sessions go on.
absl::Status Server::UndrainListener(const std::string& name) {
  const absl::StatusOr<ManagedListener*> found = ListenerNamed(name);
  if (!found.ok()) return found.status();
  if (stopped_listening_) return absl::UnavailableError("the process is about to stop");
  ManagedListener& drained = **found;
  if (drained.state != ManagedListener::State::kDrained) return absl::OkStatus();
  auto addresses = BindFor(config_, drained.config());
  if (!addresses.ok()) return addresses.status();
  CallOffDrain(drained);
  for (ManagedListener* before : ReplacedBy(name)) CallOffDrain(*before);
  auto opened = std::make_unique<ManagedListener>(++last_id_, drained.config(), drained.pool_id(),
                                                  workers_.size(), &drained);
  opened->SetAddresses(*std::move(addresses));
  Introduce(*opened);
  drained.state = ManagedListener::State::kReplaced;
  const auto seat = std::find_if(listeners_.begin(), listeners_.end(),
                                 [&drained](const auto& it) { return it.get() == &drained; });
  gone_.push_back(std::exchange(*seat, std::move(opened)));
  workers_.AwaitTurn();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Server::CloseSessionsOf(const std::string& pool,
                                                const std::string& backend) {
  const absl::StatusOr<ManagedPool*> found = PoolNamed(pool);
  if (!found.ok()) return found.status();
  const ManagedBackend* const managed = (*found)->Find(backend);
  if (managed == nullptr) return (*found)->NoSuchBackend(backend);
  auto count = std::make_shared<std::atomic<int64_t>>(0);
  workers_.Ask([target = managed->backend, count](Worker& worker) {
    *count += l4lb::CloseSessionsOf(worker.sessions(), *target, CloseReason::admin_closed);
  });
  return count->load();
}

absl::Status Server::CloseSession(uint64_t id) {
  auto closed = std::make_shared<std::atomic<bool>>(false);
  workers_.Ask([id, closed](Worker& worker) {
    if (l4lb::CloseSession(worker.sessions(), id, CloseReason::admin_closed)) *closed = true;
  });
  if (*closed) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no session ", id, ", or it is ending already"));
}

absl::StatusOr<int64_t> Server::Rebalance(const std::string& pool) {
  const absl::StatusOr<ManagedPool*> found = PoolNamed(pool);
  if (!found.ok()) return found.status();
  std::erase_if(rebalancing_, [&pool](const auto& it) { return it.pool == pool; });
  std::vector<ManagedPool::Excess> excess = (*found)->ExcessOfShare();
  int64_t too_many = 0;
  for (const ManagedPool::Excess& of : excess) too_many += of.count;
  if (too_many > 0) rebalancing_.push_back({pool, std::move(excess)});
  return too_many;
}

bool Server::NeedsTick() const {
  const auto waits = [](const auto& pool) {
    return !pool->retired().empty() || pool->health().needs_tick();
  };
  const auto is_drained = [](const auto& listener) {
    return listener->state == ManagedListener::State::kDrained && !listener->forgotten();
  };
  return !rebalancing_.empty() || !gone_.empty() || !removed_pools_.empty() ||
         std::any_of(pools_.begin(), pools_.end(), waits) ||
         std::any_of(listeners_.begin(), listeners_.end(), is_drained);
}

void Server::Tick() {
  std::erase_if(rebalancing_, [this](Rebalancing& rebalancing) {
    const ManagedPool* const pool = FindPool(rebalancing.pool);
    return pool == nullptr || !RebalanceStep(*pool, rebalancing);
  });
  ForgetListeners();
  ForgetBackends();
  ForgetPools();
  TickHealth();
}

// No backend gives up more than it had too many at the beginning: sessions that end still count as
// active.  False: nothing is left to do.
bool Server::RebalanceStep(const ManagedPool& pool, Rebalancing& rebalancing) {
  int64_t most = std::max<int64_t>(pool.pool().places().used() / kRebalanceDivisor, 1);
  std::vector<Surplus> surplus;
  for (const ManagedPool::Excess& now : pool.ExcessOfShare()) {
    const auto left = std::find_if(rebalancing.left.begin(), rebalancing.left.end(),
                                   [&now](const auto& it) { return it.backend == now.backend; });
    if (left == rebalancing.left.end()) continue;
    const int64_t count = std::min({now.count, left->count, most});
    if (count <= 0) continue;
    left->count -= count;
    most -= count;
    surplus.push_back({now.backend.get(), count});
  }
  for (int i = 0; i < workers_.size() && !surplus.empty(); ++i) {
    next_rebalancer_ = (next_rebalancer_ + 1) % workers_.size();
    surplus = workers_.CloseIdlest(next_rebalancer_, surplus);
  }
  return !surplus.empty() || most < 1;
}

void Server::ForgetListeners() {
  const auto forget = [this](ManagedListener& listener) {
    if (!listener.told() || listener.forgotten()) return true;
    if (listener.closed() && !std::exchange(listener.told_to_forget, true)) {
      workers_.Tell([id = listener.id()](Worker& worker) { worker.RemoveListener(id); });
    }
    return false;
  };
  for (auto& listener : listeners_) {
    if (listener->state == ManagedListener::State::kDrained) forget(*listener);
  }
  std::erase_if(gone_, [&forget](auto& listener) { return forget(*listener); });
}

void Server::ForgetBackends() {
  const auto has_unused = [](const auto& pool) { return pool->has_unused(); };
  const bool any = std::any_of(pools_.begin(), pools_.end(), has_unused) ||
                   std::any_of(removed_pools_.begin(), removed_pools_.end(), has_unused);
  if (any && !workers_.AwaitTurn()) return;
  for (auto* pools : {&pools_, &removed_pools_}) {
    for (auto& pool : *pools) pool->ForgetUnused(access_log_.get());
  }
}

void Server::ForgetPools() {
  std::erase_if(removed_pools_, [this](const auto& pool) {
    const auto uses = [&pool](const auto& listener) { return listener->pool_id() == pool->id(); };
    if (std::any_of(gone_.begin(), gone_.end(), uses) || !pool->idle() ||
        !pool->retired().empty()) {
      return false;
    }
    // A worker that is late would find its pool gone.
    return workers_.Ask([id = pool->id()](Worker& worker) { worker.RemovePool(id); });
  });
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/pool.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"
#include "l4lb/backend/interleaving.h"

namespace l4lb {
namespace {

int32_t SlotLimit(const BackendTerms& terms) {
  if (!terms.takes_sessions()) return 0;
  if (terms.max_connections == 0) return ActiveTable::kNoLimit;
  return static_cast<int32_t>(std::min<int64_t>(terms.max_connections, ActiveTable::kNoLimit));
}

// A lease on its way to who waited for it; posted when no lock is held.
struct Delivery {
  LeaseInbox* inbox;
  uint64_t ticket;
  Lease lease;
};

void Post(std::vector<Delivery> deliveries) {
  for (Delivery& delivery : deliveries) {
    delivery.inbox->PostLease(delivery.ticket, std::move(delivery.lease));
  }
}

}  // namespace

int64_t Backend::active() const { return pool_.table().active(slot_); }

uint64_t Backend::NextId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

void Backend::CountFailure(int64_t now_ms) {
  const bool streak = encounters_.Refused(now_ms, pool_.streak_rule());
  avoided_until_ms_.store(now_ms + Pool::kAvoidMs, std::memory_order_relaxed);
  pool_.avoiding_until_ms_.store(now_ms + Pool::kAvoidMs, std::memory_order_relaxed);
  pool_.NoteFailure(streak ? id_ : 0);
}

void Backend::CountEarlyReset(int64_t now_ms) {
  pool_.NoteFailure(encounters_.ResetEarly(now_ms, pool_.streak_rule()) ? id_ : 0);
}

void Lease::Release() {
  if (Backend* held = std::exchange(backend_, nullptr)) held->pool().GiveBack(*held);
}

Pool::Pool(std::string name, const PoolLimits& limits)
    : name_(std::move(name)), queue_limit_(limits.queue), places_(limits.max_connections) {}

Pool::~Pool() { DCHECK_EQ(waiting(), 0); }

void Pool::SetLimits(const PoolLimits& limits) {
  queue_limit_ = limits.queue;
  places_.SetLimit(limits.max_connections);
  if (waiting() != 0) Serve();
}

void Pool::SetStreakRule(const StreakRule& rule) {
  streak_limit_.store(rule.limit, std::memory_order_relaxed);
  streak_window_ms_.store(rule.window_ms, std::memory_order_relaxed);
}

StreakRule Pool::streak_rule() const {
  return {.limit = streak_limit_.load(std::memory_order_relaxed),
          .window_ms = streak_window_ms_.load(std::memory_order_relaxed)};
}

void Pool::NoteFailure(uint64_t streak_of) {
  if (sink_ == nullptr) return;
  if (!failing_.load(std::memory_order_relaxed) && !failing_.exchange(true)) sink_(0);
  if (streak_of != 0) sink_(streak_of);
}

void Pool::BeginSlowStart(Backend& backend, const SlowStartTerms& terms) {
  backend.candidacy_.store(terms.candidacy, std::memory_order_relaxed);
  backend.slow_start_ms_.store(terms.begin_ms, std::memory_order_relaxed);
  slow_until_ms_.store(std::max(terms.end_ms, slow_until_ms()), std::memory_order_relaxed);
}

void Pool::EndSlowStart(Backend& backend) {
  backend.slow_start_ms_.store(0, std::memory_order_relaxed);
}

std::shared_ptr<Backend> Pool::Add(std::string name, const SocketAddress& address,
                                   const BackendTerms& terms) {
  const int slot = table_.Add(SlotLimit(terms));
  if (slot == ActiveTable::kNone) return nullptr;
  auto backend = std::make_shared<Backend>(*this, slot, std::move(name), address);
  ModelLock lock(mutex_);
  if (static_cast<size_t>(slot) == backends_.size()) backends_.emplace_back();
  backends_[slot] = backend;
  return backend;
}

void Pool::SetTerms(Backend& backend, const BackendTerms& terms) {
  const int32_t limit = SlotLimit(terms);
  if (limit == table_.limit(backend.slot())) return;
  table_.SetLimit(backend.slot(), limit);
  if (limit == 0) Dismiss(backend);
  if (waiting() != 0) Serve();
}

// Their leases come empty.
void Pool::Dismiss(Backend& backend) {
  std::vector<Delivery> deliveries;
  {
    ModelLock lock(mutex_);
    while (backend.wanted_.load() != 0) {
      WaitOp* wait = waits_.FirstFor(backend, /*only=*/true);
      CHECK(wait != nullptr);
      deliveries.push_back({wait->inbox, wait->ticket, Lease()});
      TakeOut(*wait);
    }
  }
  Post(std::move(deliveries));
}

// `backend` and backends_ have it; a snapshot that named it would, too.
bool Pool::IsUnused(const std::shared_ptr<Backend>& backend) const {
  return table_.closed(backend->slot()) && backend.use_count() <= 2 && backend->active() == 0 &&
         backend->wanted_.load() == 0 && backend->pins_.load(std::memory_order_acquire) == 0;
}

void Pool::Forget(std::shared_ptr<Backend> backend) {
  DCHECK(IsUnused(backend));
  ModelLock lock(mutex_);
  backends_[backend->slot()] = nullptr;
  table_.Free(backend->slot());
}

bool Pool::TryTake(Backend& backend) {
  if (!places_.TryTake()) return false;
  if (table_.TryAcquire(backend.slot())) return true;
  places_.Give();
  return false;
}

Lease Pool::TryAcquire(Backend& backend) {
  if (TryTake(backend)) return Lease(&backend);
  // The pool's last place may have been ours for a moment, and somebody who looked then waits now.
  if (places_.limited() && waiting() != 0) Serve();
  return Lease();
}

void Pool::Vacate(Backend& backend) {
  table_.Release(backend.slot());
  places_.Give();
}

bool Pool::awaited(const Backend& backend) const {
  InterleavingPoint();
  return waiting_for_any_.load() != 0 || backend.wanted_.load() != 0 ||
         (places_.limited() && waiting() != 0);
}

void Pool::GiveBack(Backend& backend) {
  if (awaited(backend) && HandOver(backend)) return;
  Vacate(backend);
  if (awaited(backend)) Serve();
}

// The place itself goes to the first who may use it, so that nobody who comes now can take it.
bool Pool::HandOver(Backend& backend) {
  if (table_.over_full(backend.slot())) return false;
  LeaseInbox* inbox = nullptr;
  uint64_t ticket = 0;
  {
    ModelLock lock(mutex_);
    WaitOp* wait = waits_.FirstFor(backend);
    if (wait == nullptr) return false;
    inbox = wait->inbox;
    ticket = wait->ticket;
    TakeOut(*wait);
  }
  inbox->PostLease(ticket, Lease(&backend));
  return true;
}

// Gives every free place to the first who may use it.
void Pool::Serve() {
  std::vector<Delivery> deliveries;
  {
    ModelLock lock(mutex_);
    for (const auto& backend : backends_) {
      if (backend == nullptr) continue;
      while (awaited(*backend) && !table_.full(backend->slot()) && !places_.full()) {
        WaitOp* wait = waits_.FirstFor(*backend);
        if (wait == nullptr || !TryTake(*backend)) break;
        deliveries.push_back({wait->inbox, wait->ticket, Lease(backend.get())});
        TakeOut(*wait);
      }
    }
  }
  Post(std::move(deliveries));
}

bool Pool::Enqueue(WaitOp& wait) {
  Backend* const wait_only = wait.only;  // Serve() may end the wait.
  {
    ModelLock lock(mutex_);
    if (waiting() >= queue_limit()) return false;
    waits_.PushBack(wait);
    Count(wait, 1);
  }
  Serve();  // What became free before we were seen to wait.
  if (wait_only != nullptr && table_.closed(wait_only->slot())) Dismiss(*wait_only);
  return true;
}

void Pool::Leave(WaitOp& wait) {
  ModelLock lock(mutex_);
  if (wait.queued) TakeOut(wait);
}

void Pool::TakeOut(WaitOp& wait) {
  waits_.Remove(wait);
  Count(wait, -1);
}

void Pool::Count(const WaitOp& wait, int change) {
  InterleavingPoint();
  waiting_.fetch_add(change);
  if (wait.only != nullptr) {
    wait.only->wanted_.fetch_add(change);
  } else {
    waiting_for_any_.fetch_add(change);
  }
}

}  // namespace l4lb

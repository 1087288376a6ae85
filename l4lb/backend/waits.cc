// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/waits.h"

#include <errno.h>

#include <utility>

namespace l4lb {
namespace {

void End(WaitOp& wait, int error) {
  wait.in_flight = false;
  wait.error = error;
  wait.done(wait);
}

}  // namespace

bool Waits::Begin(Pool& pool, WaitOp& wait) {
  wait.inbox = &inbox_;
  wait.ticket = ++last_ticket_;
  wait.in_flight = true;
  waiting_.emplace(wait.ticket, Entry{&wait, &pool});
  if (pool.Enqueue(wait)) return true;
  waiting_.erase(wait.ticket);
  wait.in_flight = false;
  return false;
}

void Waits::Cancel(WaitOp& wait) {
  const auto found = waiting_.find(wait.ticket);
  if (found == waiting_.end()) return;
  found->second.pool->Leave(wait);
  waiting_.erase(found);
  cancelled_.push_back(&wait);
}

void Waits::Deliver(uint64_t ticket, Lease lease) {
  const auto found = waiting_.find(ticket);
  if (found == waiting_.end()) return;
  WaitOp& wait = *found->second.wait;
  waiting_.erase(found);
  wait.lease = std::move(lease);
  End(wait, wait.lease ? 0 : EAGAIN);
}

void Waits::EndCancelled() {
  while (!cancelled_.empty()) {
    WaitOp* wait = cancelled_.back();
    cancelled_.pop_back();
    End(*wait, ECANCELED);
  }
}

}  // namespace l4lb

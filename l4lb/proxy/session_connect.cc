// SPDX-License-Identifier: Apache-2.0
//
// How a session gets its backend: pick, perhaps wait for a place, connect, and on failure the next.
// Nothing was read of the client yet; its bytes wait in the kernel.
#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/proxy/session.h"

namespace l4lb {
namespace {

struct Failure {
  CloseReason reason;
  Event event;
  bool of_backend;  // Else of ours: never held against the backend.
};

Failure Classify(int error, bool timed_out) {
  if (timed_out) return {CloseReason::connect_timeout, Event::connect_failed, true};
  switch (error) {
    case EADDRNOTAVAIL:
      return {CloseReason::no_port, Event::no_port, false};
    case EMFILE:
    case ENFILE:
      return {CloseReason::no_fd, Event::accept_paused, false};  // The listener says it.
    case ENOMEM:
    case ENOBUFS:
    case ENOSPC:
      return {CloseReason::internal, Event::internal, false};
    default:
      return {CloseReason::connect_failed, Event::connect_failed, true};
  }
}

}  // namespace

// False when there is nobody to try any more; else a lease is at hand, or a wait for one has begun.
bool Session::BeginPick() {
  if (ending()) return false;
  WorkerPool& pool = host_.pool();
  const PoolSnapshot& settings = pool.snapshot();
  if (attempts_ <= settings.retries) {
    Picked picked = pool.Pick(pool.FlowKey(client_), tried(), now_ms());
    if (picked.full) return BeginWait(picked.only);
    lease_ = std::move(picked.lease);
    if (lease_) return true;
  }
  if (attempts_ == 0) {
    host_.context().events.Post(Event::no_backend,
                                absl::StrCat("pool ", settings.name(), " has no backend to try"));
  }
  SetReason(reason_);
  return false;
}

bool Session::BeginWait(Backend* only) {
  WorkerPool& pool = host_.pool();
  const PoolSnapshot& settings = pool.snapshot();
  in_queue_ = true;
  if (settings.pool->queue_limit() == 0) {
    Refuse(pool.FullLimit());
    return false;
  }
  WaitOp& wait = opening().reach.emplace<WaitOp>();
  wait.tried = tried();
  wait.only = only;
  Bind<&Session::OnOpEnded>(static_cast<Op&>(wait), this);
  if (!pool.Wait(wait)) {
    pool.counters().queue_full.Add();
    host_.context().events.Post(Event::queue,
                                absl::StrCat("pool ", settings.name(), ": the queue is full, ",
                                             settings.pool->queue_limit(), " sessions wait"));
    SetReason(CloseReason::queue_full);
    return false;
  }
  pool.counters().queued.Add();
  timed_out_ = false;
  moved_ms_ = now_ms();
  ArmIn(settings.queue_timeout_ms);
  return true;
}

// Whether there is a backend to connect to.
bool Session::EndPick() {
  WorkerPool& pool = host_.pool();
  const PoolSnapshot& settings = pool.snapshot();
  if (in_queue_) {
    host_.context().timers.Disarm(*this);
    queue_ms_ += static_cast<int32_t>(now_ms() - moved_ms_);
    lease_ = std::move(wait().lease);
    const bool anew = wait().error == EAGAIN && !ending();  // Open() picks again.
    in_queue_ = !anew && (!lease_ || ending());             // It ends in this phase.
    if (anew) return false;
    if (!lease_ && !ending()) {
      pool.counters().queue_timeouts.Add();
      host_.context().events.Post(
          Event::queue, absl::StrCat("pool ", settings.name(), ": no place became free within ",
                                     settings.queue_timeout_ms, " ms"));
      SetReason(CloseReason::queue_timeout);
    }
    if (in_queue_) {
      lease_.Release();
      return false;
    }
  }
  host_.context().closer.Review(*this);
  if (ending()) {
    lease_.Release();
    return false;
  }
  pool.counters().connects.Add();
  if (attempts_++ > 0) pool.counters().retries.Add();
  moved_ms_ = now_ms();
  sources_left_ = static_cast<uint16_t>(settings.sources.size());
  return true;
}

// Also for a further try within the same attempt.
void Session::BeginConnect() {
  const SocketAddress& peer = lease_.backend()->address();
  timed_out_ = false;
  ConnectOp& connect = opening().reach.emplace<ConnectOp>();
  connect.peer = &peer;
  connect.source = host_.pool().NextSource(peer.family());
  if (sources_left_ > 0) --sources_left_;
  Bind<&Session::OnOpEnded>(static_cast<Op&>(connect), this);
  ArmIn(std::max<int64_t>(ConnectLeftMs(), 0));
  engine().Connect(connect);
}

int64_t Session::ConnectLeftMs() const {
  return moved_ms_ + host_.pool().snapshot().connect_timeout_ms - now_ms();
}

// When the same backend is worth another try; negative: never.
int64_t Session::AgainInMs() const {
  const int error = connect().error;
  if (ending() || timed_out_ || ConnectLeftMs() <= 0) return -1;
  if (error == EAGAIN) {  // Rarer and rarer: nobody knows how long its backlog stays full.
    const int64_t wait_ms = std::clamp((now_ms() - moved_ms_) / 4, kFirstRetryMs, kLastRetryMs);
    return std::min(wait_ms, ConnectLeftMs());
  }
  // The ports of this address of ours are used up toward that backend.
  if (error == EADDRNOTAVAIL && sources_left_ > 0) return 0;
  return -1;
}

// Whether a connection was established.
bool Session::EndConnect() {
  if (!lease_) return false;
  const ConnectOp& connect = this->connect();
  PoolCounters& counters = host_.pool().counters();
  host_.context().timers.Disarm(*this);
  side(kBackend).fd = connect.fd;
  if (connect.error == 0) {
    counters.connects_established.Add();
    lease_.backend()->CountSession(now_ms() - moved_ms_);
    connect_ms_ = SinceStart(now_ms());
    return true;
  }
  if (ending()) {
    counters.connects_abandoned.Add();
    return false;
  }
  counters.connects_failed.Add();
  OnConnectFailed(connect.error);
  return false;
}

void Session::OnConnectFailed(int error) {
  Backend& backend = *lease_.backend();
  const Failure failure = Classify(error, timed_out_ || error == EAGAIN);
  reason_ = failure.reason;
  if (failure.of_backend) backend.CountFailure(now_ms());
  if (failure.reason == CloseReason::no_fd) {
    host_.OnNoFd();
  } else {
    host_.context().events.Post(
        failure.event, absl::StrCat("backend ", host_.pool().snapshot().name(), "/", backend.name(),
                                    " (", backend.address_text(), "): ",
                                    failure.reason == CloseReason::connect_timeout
                                        ? "no answer within connect_timeout"
                                        : strerror(error)));
  }
  if (!tried_) tried_ = std::make_unique<Tried>();
  tried_->Add(backend);
  lease_.Release();
}

}  // namespace l4lb

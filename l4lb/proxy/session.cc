// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/session.h"

#include <errno.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "glog/logging.h"

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

Session::Session(SessionHost& host, int client_fd, const SocketAddress& client)
    : host_(host), id_(host.NextSessionId()), client_(client) {
  started_ms_ = moved_ms_ = now_ms();
  side(kClient).fd = client_fd;
  timer_.owner = this;
  timer_.expired = OnTimer;
  watch_.fd = client_fd;
  Bind<&Session::OnWatchEnded>(watch_, this);
}

Session::~Session() { DCHECK(!timer_.armed() && side(kClient).fd < 0 && side(kBackend).fd < 0); }

void Session::Start() { Run(); }

Task Session::Run() {
  engine().Watch(watch_);
  bool established = false;
  while (!established && BeginConnect()) {
    ConnectOp& connect = std::get<ConnectOp>(ops_);
    co_await Until(connect);
    established = EndConnect();
  }
  engine().Cancel(watch_);
  co_await Until(watch_);

  if (established && !ending()) {
    Pumps& pumps = BeginPumps();
    co_await Until(pumps.from_client);
    co_await Until(pumps.from_backend);
    EndPumps();
  }

  for (int64_t wait_ms = CloseEnds(); wait_ms > 0; wait_ms = CloseEnds()) {
    co_await For(wait_ms);
  }
  if (side(kClient).fd >= 0) {
    ReadOp& drop = BeginDrop();
    do {
      engine().Read(drop);
      co_await Until(drop);
    } while (DropMore(drop));
    CloseNow(kClient, CloseKind::kFin);
  }
  Finish();
}

bool Session::BeginConnect() {
  if (ending()) return false;
  WorkerPool& pool = host_.pool();
  const PoolSnapshot& settings = pool.snapshot();
  if (attempts_ <= settings.retries) {
    lease_ = pool.Pick(0, tried_ ? absl::MakeConstSpan(*tried_) : absl::Span<Backend* const>());
  }
  if (!lease_) {
    if (attempts_ == 0) {
      host_.context().events.Post(Event::no_backend,
                                  absl::StrCat("pool ", settings.name, " has no backend to try"));
    }
    SetReason(reason_);
    return false;
  }
  pool.counters().connects.Add();
  if (attempts_++ > 0) pool.counters().retries.Add();
  timed_out_ = false;
  ConnectOp& connect = ops_.emplace<ConnectOp>();
  connect.peer = &lease_.backend()->address();
  Bind<&Session::OnOpEnded>(static_cast<Op&>(connect), this);
  ArmIn(settings.connect_timeout_ms);
  engine().Connect(connect);
  return true;
}

// Whether a connection was established.
bool Session::EndConnect() {
  const ConnectOp& connect = std::get<ConnectOp>(ops_);
  PoolCounters& counters = host_.pool().counters();
  Backend& backend = *lease_.backend();
  host_.context().timers.Disarm(timer_);
  side(kBackend).fd = connect.fd;
  if (connect.error == 0) {
    counters.connects_established.Add();
    backend.CountSession();
    connected_ms_ = now_ms();
    return true;
  }
  if (ending()) {
    counters.connects_abandoned.Add();
    return false;
  }
  counters.connects_failed.Add();
  const Failure failure = Classify(connect.error, timed_out_);
  reason_ = failure.reason;
  if (failure.of_backend) backend.CountFailure();
  if (failure.reason == CloseReason::no_fd) {
    host_.OnNoFd();
  } else {
    host_.context().events.Post(
        failure.event,
        absl::StrCat("backend ", host_.pool().snapshot().name, "/", backend.name(), " (",
                     backend.address_text(), "): ",
                     timed_out_ ? "no answer within connect_timeout" : strerror(connect.error)));
  }
  if (!tried_) tried_ = std::make_unique<std::vector<Backend*>>();
  tried_->push_back(&backend);
  lease_.Release();
  return false;
}

Session::Pumps& Session::BeginPumps() {
  Pumps& pumps = ops_.emplace<Pumps>();
  for (const End end : {kClient, kBackend}) {
    PumpOp& pump = pump_from(end);
    pump.from = side(end).fd;
    pump.to = side(Other(end)).fd;
    Bind<&Session::OnPumpEnded>(pump, this);
    pump.from_reset = [](PumpOp& op) {
      auto* session = static_cast<Session*>(op.owner);
      session->OnFailed(&op == &session->pump_from(kClient) ? kClient : kBackend, ECONNRESET);
    };
    engine().Pump(pump);
  }
  moved_ms_ = now_ms();
  Rearm();
  return pumps;
}

void Session::OnPumpEnded(PumpOp& pump) {
  const End from = &pump == &pump_from(kClient) ? kClient : kBackend;
  if (pump.error == 0) {
    if (!side(from).was_reset) OnFinished(from);
  } else if (pump.error != ECANCELED) {
    OnFailed(pump.failed == PumpOp::End::kTo ? Other(from) : from, pump.error);
  }
  Resume(pump);
}

void Session::OnFinished(End end) {
  const End other = Other(end);
  side(end).finished = true;
  moved_ms_ = now_ms();
  if (side(other).finished || ending()) return;  // Closing tells the other end.
  first_finished_ = end;
  engine().Shutdown(side(other).fd);
  side(other).given_fin = true;
  Rearm();
}

void Session::OnFailed(End end, int error) {
  switch (error) {
    case ECONNRESET:
    case EPIPE:
      SetReason(end == kClient ? CloseReason::client_reset : CloseReason::backend_reset);
      break;
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
      SetReason(end == kClient ? CloseReason::client_lost : CloseReason::backend_lost);
      break;
    default:
      host_.context().events.Post(Event::internal, absl::StrCat("pump: ", strerror(error)));
      SetReason(CloseReason::internal);
      return CancelAll();
  }
  side(end).was_reset = true;
  engine().Cancel(pump_from(Other(end)));  // Nothing can be delivered to it any more.
  if (resetting_) return;
  resetting_ = true;
  moved_ms_ = now_ms();
  Rearm();
}

void Session::EndPumps() {
  Account();
  host_.context().timers.Disarm(timer_);
  // The linger of a reset has begun already; any other end begins now.
  moved_ms_ = resetting_ ? LastMovedMs() : now_ms();
  first_byte_ms_ = pump_from(kBackend).first_at_ms;
  for (const End end : {kClient, kBackend}) {
    const Side& s = side(end);
    // Bytes of it that we hold, or that lie in the kernel and were not read.
    side(end).cut =
        pump_from(end).holding() || (!s.finished && !s.was_reset && engine().Unread(s.fd) > 0);
  }
  SetReason(first_finished_ == kClient ? CloseReason::client_fin : CloseReason::backend_fin);
}

void Session::OnWatchEnded(WatchOp& op) {
  if (op.error == 0) {
    side(kClient).was_reset = true;
    Close(CloseReason::client_reset);
  } else if (op.error != ECANCELED) {
    Close(CloseReason::internal);
  }
  Resume(op);
}

void Session::OnOpEnded(Op& op) { Resume(op); }

void Session::Resume(const Op& op) {
  if (awaited_ != &op) return;
  awaited_ = nullptr;
  run_.resume();
}

void Session::SetReason(CloseReason reason) {
  if (reason_set_) return;
  reason_ = reason;
  reason_set_ = true;
}

void Session::Close(CloseReason reason) {
  if (ending()) return;
  SetReason(reason);
  CancelAll();
}

void Session::Hurry() {
  hurry_ = true;
  CancelAll();
  if (sleeping_) ArmIn(0);
}

void Session::CancelAll() {
  engine().Cancel(watch_);
  CancelOps();
}

void Session::CancelOps() {
  if (auto* connect = std::get_if<ConnectOp>(&ops_)) engine().Cancel(*connect);
  if (auto* read = std::get_if<ReadOp>(&ops_)) engine().Cancel(*read);
  if (!pumping()) return;
  engine().Cancel(pump_from(kClient));
  engine().Cancel(pump_from(kBackend));
}

}  // namespace l4lb

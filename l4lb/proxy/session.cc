// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/session.h"

#include <errno.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "glog/logging.h"

namespace l4lb {

static_assert(sizeof(Session) <= 432, "there may be a million of them, idle");

Session::Session(SessionHost& host, int client_fd, const SocketAddress& client)
    : host_(host), id_(host.NextSessionId()), client_(client) {
  started_ms_ = moved_ms_ = now_ms();
  side(kClient).fd = client_fd;
  expired = OnTimer;
  WatchOp& watch = opening().watch;
  watch.fd = client_fd;
  Bind<&Session::OnWatchEnded>(watch, this);
}

Session::~Session() { DCHECK(!armed() && side(kClient).fd < 0 && side(kBackend).fd < 0); }

void Session::Start() {
  Open();
  host_.context().closer.Review(*this);
}

void Session::Refuse(Limit limit) {
  limit_ = limit;
  host_.counters().refused_by_limit[static_cast<size_t>(limit)].Add();
  host_.context().events.Post(
      Event::limit, absl::StrCat("listener ", host_.names().listener, ": a connection of ",
                                 client_.ToString(), " refused by ", KeyOf(limit)));
  SetReason(CloseReason::limit);
}

// From the accepted client to a connected backend.
Task Session::Open() {
  WatchOp& watch = opening().watch;
  engine().Watch(watch);
  bool established = false;
  while (!established && BeginPick()) {
    if (in_queue_) {
      WaitOp& wait = this->wait();
      co_await Until(wait);
    }
    int64_t again_ms = EndPick() ? 0 : -1;
    while (again_ms >= 0 && !ending()) {
      BeginConnect();
      ConnectOp& connect = this->connect();
      co_await Until(connect);
      again_ms = AgainInMs();
      if (again_ms > 0) co_await For(again_ms);
    }
    established = EndConnect();
  }
  engine().Cancel(watch);
  co_await Until(watch);

  if (established && !ending()) {
    BeginPumps();  // It goes on in OnPumpEnded().
  } else {
    Leave();
  }
}

// From the end of both pumps, or of the attempt to begin them, to two closed fds.
Task Session::Leave() {
  phase_.emplace<Closing>();
  TellClient();
  for (int64_t wait_ms = CloseEnds(); wait_ms > 0; wait_ms = CloseEnds()) {
    co_await For(wait_ms);
  }
  if (side(kClient).fd >= 0) {
    BeginDrop();
    ReadOp& drop = std::get<Closing>(phase_).drop;
    do {
      engine().Read(drop);
      co_await Until(drop);
    } while (DropMore());
    CloseNow(kClient, CloseKind::kFin);
  }
  Finish();
}

void Session::BeginPumps() {
  phase_.emplace<Pumps>();
  for (const End end : {kClient, kBackend}) {
    PumpOp& pump = pump_from(end);
    pump.from = side(end).fd;
    pump.to = side(Other(end)).fd;
    Bind<&Session::OnPumpEnded>(pump, this);
    pump.from_reset = [](PumpOp& op) {
      auto* session = static_cast<Session*>(op.owner);
      session->OnFailed(&op == &session->pump_from(kClient) ? kClient : kBackend, ECONNRESET);
    };
    engine().Pump(pump, {});
  }
  moved_ms_ = now_ms();
  Rearm();
}

void Session::OnPumpEnded(PumpOp& pump) {
  const End from = &pump == &pump_from(kClient) ? kClient : kBackend;
  if (pump.error == 0) {
    if (!side(from).was_reset) OnFinished(from);
  } else if (pump.error != ECANCELED) {
    OnFailed(pump.failed == PumpOp::End::kTo ? Other(from) : from, pump.error);
  }
  if (pump_from(Other(from)).in_flight) return;
  EndPumps();
  Leave();
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
  host_.context().timers.Disarm(*this);
  // The linger of a reset has begun already; any other end begins now.
  moved_ms_ = resetting_ ? LastMovedMs() : now_ms();
  const int64_t first_at_ms = pump_from(kBackend).first_at_ms;
  if (first_at_ms != 0) first_byte_ms_ = SinceStart(first_at_ms);
  TellBackend();
  for (const End end : {kClient, kBackend}) {
    const Side& s = side(end);
    // Bytes of it that we hold, or that lie in the kernel and were not read.
    side(end).cut =
        pump_from(end).holding() || (!s.finished && !s.was_reset && engine().Unread(s.fd) > 0);
  }
  SetReason(first_finished_ == kClient ? CloseReason::client_fin : CloseReason::backend_fin);
}

// How it behaved.  A reset that answers the end of the client is none of its own.
void Session::TellBackend() {
  if (first_byte_ms_ != kNever) {
    lease_.backend()->CountAnswer();
  } else if (reason_set_ && reason_ == CloseReason::backend_reset && !side(kClient).finished) {
    lease_.backend()->CountEarlyReset(now_ms());
  }
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
  Chapter& chapter = *this->chapter();
  if (chapter.awaited != &op) return;
  chapter.awaited = nullptr;
  chapter.run.resume();
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
  const Chapter* chapter = this->chapter();
  if (chapter != nullptr && chapter->sleeping) ArmIn(0);
}

void Session::CancelAll() {
  if (std::holds_alternative<Opening>(phase_)) engine().Cancel(opening().watch);
  CancelOps();
}

void Session::CancelOps() {
  if (pumping()) {
    engine().Cancel(pump_from(kClient));
    engine().Cancel(pump_from(kBackend));
  } else if (auto* closing = std::get_if<Closing>(&phase_)) {
    engine().Cancel(closing->drop);
  } else if (auto* wait = std::get_if<WaitOp>(&opening().reach)) {
    host_.pool().CancelWait(*wait);
  } else {
    engine().Cancel(connect());
  }
}

}  // namespace l4lb

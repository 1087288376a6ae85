// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/listener.h"

#include <errno.h>

#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"

namespace l4lb {

Listener::Listener(WorkerContext& context, ListenerPlan plan)
    : context_(context), plan_(std::move(plan)) {
  retry_.owner = this;
  retry_.expired = [](Timer& timer) { static_cast<Listener*>(timer.owner)->TryResume(); };
  for (const int fd : plan_.sockets) {
    auto acceptor = std::make_unique<Acceptor>();
    acceptor->fd = fd;
    acceptor->op.listen_fd = fd;
    Bind<&Listener::OnAcceptEnded>(acceptor->op, this);
    acceptor->op.accepted = [](AcceptOp& op, int client_fd, const SocketAddress& peer) {
      static_cast<Listener*>(op.owner)->OnAccepted(client_fd, peer);
    };
    acceptors_.push_back(std::move(acceptor));
  }
}

Listener::~Listener() { DCHECK(idle()); }

void Listener::Open() {
  for (auto& acceptor : acceptors_) context_.engine.Accept(acceptor->op);
}

void Listener::Stop() {
  if (std::exchange(stopping_, true)) return;
  if (parked_.empty()) context_.timers.Disarm(retry_);
  for (auto& acceptor : acceptors_) {
    acceptor->op.empty_backlog = true;
    // A paused one starts again, only to take what waits.
    if (!acceptor->op.in_flight) context_.engine.Accept(acceptor->op);
    context_.engine.Cancel(acceptor->op);
  }
}

void Listener::OnAccepted(int fd, const SocketAddress& peer) {
  if (!parked_.empty() || !context_.places.TryTake()) {
    parked_.push_back({fd, peer});
    ArmRetry();  // Also while stopping, and other workers free places without telling us.
  } else {
    StartSession(fd, peer);
  }
  if (context_.places.full()) Pause("max_connections is reached");
}

void Listener::StartSession(int fd, const SocketAddress& peer) {
  counters_.accepted.Add();
  auto* session = new (context_.blocks.Take(sizeof(Session))) Session(*this, fd, peer);
  session->next = live_;
  if (live_ != nullptr) live_->previous = session;
  live_ = session;
  session->Start();
}

void Listener::OnSessionEnded(Session& session) {
  (session.previous != nullptr ? session.previous->next : live_) = session.next;
  if (session.next != nullptr) session.next->previous = session.previous;
  session.next = ended_;
  ended_ = &session;
  context_.places.Give();
}

void Listener::OnAcceptEnded(AcceptOp& op) {
  if (stopping_) {
    for (auto& acceptor : acceptors_) {
      if (&acceptor->op != &op) continue;
      context_.engine.Close(std::exchange(acceptor->fd, -1), CloseKind::kFin);
    }
    return;
  }
  if (op.error == ECANCELED) return;
  counters_.accept_errors.Add();
  Pause(strerror(op.error));
}

void Listener::OnNoFd() { Pause("no file descriptor is free"); }

void Listener::Pause(const char* why) {
  if (paused_ || stopping_) return;
  paused_ = true;
  counters_.accept_pauses.Add();
  const int64_t now_ms = context_.engine.now_ms();
  if (now_ms - said_ms_ >= kSayEachMs) {
    said_ms_ = now_ms;
    context_.events.Post(Event::accept_paused,
                         absl::StrCat("listener ", plan_.names->listener,
                                      " accepts no more, clients wait in the backlog: ", why));
  }
  for (auto& acceptor : acceptors_) context_.engine.Cancel(acceptor->op);
  ArmRetry();
}

void Listener::ArmRetry() { context_.timers.Arm(retry_, context_.engine.now_ms() + kRetryMs); }

void Listener::TryResume() {
  while (!parked_.empty() && context_.places.TryTake()) {
    const Parked parked = parked_.front();
    parked_.pop_front();
    StartSession(parked.fd, parked.peer);
  }
  if (!parked_.empty()) return ArmRetry();
  if (stopping_) context_.timers.Disarm(retry_);
  if (!paused_ || stopping_) return;
  bool joined = true;
  for (auto& acceptor : acceptors_) joined = joined && !acceptor->op.in_flight;
  if (!joined || context_.places.full()) return ArmRetry();
  paused_ = false;
  context_.timers.Disarm(retry_);
  Open();
}

void Listener::EndTurn() {
  bool made_room = false;
  while (Session* session = ended_) {
    ended_ = session->next;
    // One that ended for want of a descriptor frees only what the next one would lack again.
    made_room = made_room || session->reason() != CloseReason::no_fd;
    session->~Session();
    context_.blocks.Give(session, sizeof(Session));
  }
  if (made_room) TryResume();
}

void Listener::CloseSessions(CloseReason reason) {
  for (Session *session = live_, *next; session != nullptr; session = next) {
    next = session->next;
    session->Close(reason);
  }
  while (!parked_.empty()) {  // Nobody will serve them.
    counters_.accepted.Add();
    counters_.closed.Add();
    counters_.closed_by_reason[static_cast<size_t>(reason)].Add();
    context_.engine.Close(parked_.front().fd, CloseKind::kReset);
    parked_.pop_front();
  }
  if (stopping_) context_.timers.Disarm(retry_);
}

void Listener::HurrySessions() {
  for (Session *session = live_, *next; session != nullptr; session = next) {
    next = session->next;
    session->Hurry();
  }
}

void Listener::RefreshSessions() {
  for (Session* session = live_; session != nullptr; session = session->next) session->Refresh();
}

bool Listener::idle() const {
  for (const auto& acceptor : acceptors_) {
    if (acceptor->fd >= 0) return false;
  }
  return live_ == nullptr && ended_ == nullptr && parked_.empty();
}

uint64_t Listener::NextSessionId() {
  // Unique in the process: the worker in the upper bits.
  return static_cast<uint64_t>(context_.index + 1) << 48 | ++context_.last_session;
}

}  // namespace l4lb

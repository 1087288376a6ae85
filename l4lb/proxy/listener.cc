// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/listener.h"

#include <errno.h>
#include <fcntl.h>

#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/net/free_fds.h"

namespace l4lb {

Listener::Listener(WorkerContext& context, ListenerPlan plan)
    : context_(context), plan_(std::move(plan)) {
  retry_.owner = this;
  retry_.expired = [](Timer& timer) {
    static_cast<Listener*>(static_cast<OwnedTimer&>(timer).owner)->TryResume();
  };
  for (const ListenSocket& socket : plan_.sockets) {
    auto acceptor = std::make_unique<Acceptor>();
    acceptor->address = socket.address;
    acceptor->fd = acceptor->op.listen_fd = socket.fd;
    Bind<&Listener::OnAcceptEnded>(acceptor->op, this);
    acceptor->op.accepted = [](AcceptOp& op, int client_fd, const SocketAddress& peer) {
      static_cast<Listener*>(op.owner)->OnAccepted(client_fd, peer);
    };
    acceptors_.push_back(std::move(acceptor));
  }
}

Listener::~Listener() {
  DCHECK(idle());
  plan_.progress->removed.store(true, std::memory_order_release);
}

void Listener::Open() {
  if (stopping_ || paused_) return;
  for (auto& acceptor : acceptors_) context_.engine.Accept(acceptor->op);
}

void Listener::Change(const SessionNames& names, const SessionSettings& settings) {
  plan_.names = &names;
  plan_.settings = settings;
  ForEachSession([](Session& session) { session.ReviewDeadlines(); });
}

void Listener::Tune(const ListenOptions& options) {
  for (auto& acceptor : acceptors_) {
    if (acceptor->fd >= 0) TuneListening(acceptor->fd, options);
  }
}

int Listener::ShareSocket(uint32_t address) {
  for (auto& acceptor : acceptors_) {
    if (acceptor->address != address || acceptor->fd < 0) continue;
    const int fd = ::fcntl(acceptor->fd, F_DUPFD_CLOEXEC, 0);
    acceptor->shared = fd >= 0;
    return fd;
  }
  return -1;
}

void Listener::Stop() {
  if (std::exchange(stopping_, true)) return;
  if (parked_.empty()) context_.timers.Disarm(retry_);
  for (auto& acceptor : acceptors_) {
    acceptor->op.empty_backlog = !acceptor->shared;
    // A paused one starts again, only to take what waits.
    if (!acceptor->op.in_flight) context_.engine.Accept(acceptor->op);
    context_.engine.Cancel(acceptor->op);
  }
}

std::optional<Listener::Lack> Listener::Lacking() const {
  using Counters = ListenerCounters;
  if (context_.places.full()) {
    return Lack{&Counters::paused_max_connections, "max_connections of the process is reached"};
  }
  if (plan_.limits->places->full()) {
    return Lack{&Counters::paused_listener_max_connections, "its max_connections is reached"};
  }
  const int64_t wait_ms = plan_.limits->accept_rate.WaitMs(context_.engine.now_ms());
  if (wait_ms > 0) {
    return Lack{.counter = &Counters::paused_accept_rate,
                .what = "accept_rate is reached",
                .wait_ms = wait_ms,
                .fed = false};
  }
  return std::nullopt;
}

// Another worker may take the last place between two looks: then we look again.
std::optional<Listener::Lack> Listener::TakePlaces() {
  for (;;) {
    if (std::optional<Lack> lack = Lacking()) return lack;
    if (!context_.places.TryTake()) continue;
    if (plan_.limits->places->TryTake()) {
      if (plan_.limits->accept_rate.Take(context_.engine.now_ms())) return std::nullopt;
      plan_.limits->places->Give();
    }
    context_.places.Give();
    context_.crew.Feed(context_.index);  // Somebody may have met what we held for a moment.
  }
}

void Listener::GivePlaces() {
  plan_.limits->places->Give();
  context_.places.Give();
}

void Listener::OnAccepted(int fd, const SocketAddress& peer) {
  std::optional<Lack> lack = parked_.empty() ? TakePlaces() : Lacking();
  if (lack || !parked_.empty()) {
    parked_.push_back({fd, peer});
    lack ? WaitFor(*lack) : RetryIn(0);  // Also while stopping.
  } else {
    Admit(fd, peer);
    lack = Lacking();
  }
  if (lack) Pause(*lack);
}

void Listener::Admit(int fd, const SocketAddress& peer) {
  const int worker = context_.crew.Place(context_.index, context_.engine.now_ms());
  if (worker == context_.index) return StartSession(fd, peer);
  context_.counters.handed_over.Add();
  context_.crew.HandOver(worker, plan_.id, fd, peer);
}

void Listener::TakeOver(int fd, const SocketAddress& client) {
  context_.counters.taken_over.Add();
  StartSession(fd, client);
}

void Listener::StartSession(int fd, const SocketAddress& peer) {
  counters().accepted.Add();
  auto* session = new (context_.blocks.Take(sizeof(Session))) Session(*this, fd, peer);
  session->after = live_;
  if (live_ != nullptr) live_->before = session;
  live_ = session;
  const Limit limit = plan_.limits->sources.Enter(session->client(), context_.engine.now_ms());
  if (limit != Limit::none) session->Refuse(limit);
  session->Start();
  if (closing_) session->Close(*closing_);
  if (hurry_) session->Hurry();
}

void Listener::OnSessionEnded(Session& session) {
  (session.before != nullptr ? session.before->after : live_) = session.after;
  if (session.after != nullptr) session.after->before = session.before;
  session.after = ended_;
  ended_ = &session;
  if (session.entered()) plan_.limits->sources.Leave(session.client());
  GivePlaces();
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
  counters().accept_errors.Add();
  PauseForFd(strerror(op.error));
  context_.crew.TellOfNoFd(context_.index);
}

void Listener::OnNoFd() {
  PauseForFd("no file descriptor is free");
  context_.crew.TellOfNoFd(context_.index);
}

void Listener::PauseForFd(const char* what) {
  short_of_fds_ = true;
  Pause({.counter = &ListenerCounters::paused_no_fd, .what = what, .of_places = false});
}

void Listener::Pause(const Lack& lack) {
  if (paused_ || stopping_) return;
  paused_ = true;
  (counters().*lack.counter).Add();
  const int64_t now_ms = context_.engine.now_ms();
  if (now_ms - said_ms_ >= kSayEachMs) {
    said_ms_ = now_ms;
    context_.events.Post(
        Event::accept_paused,
        absl::StrCat("listener ", plan_.names->listener,
                     " accepts no more, clients wait in the backlog: ", lack.what));
  }
  for (auto& acceptor : acceptors_) context_.engine.Cancel(acceptor->op);
  WaitFor(lack);
}

// Whoever makes room on another worker finds us starved, or has made it before we look again.
void Listener::WaitFor(const Lack& lack) {
  if (lack.fed) context_.crew.Starve(context_.index);
  const bool over = lack.of_places && !Lacking();
  RetryIn(over ? 0 : lack.wait_ms);
}

void Listener::RetryIn(int64_t wait_ms) {
  context_.timers.Arm(retry_, context_.engine.now_ms() + wait_ms);
}

void Listener::TryResume() {
  std::optional<Lack> lack;
  while (!parked_.empty() && !(lack = TakePlaces())) {
    const Parked parked = parked_.front();
    parked_.pop_front();
    Admit(parked.fd, parked.peer);
  }
  if (lack) return WaitFor(*lack);
  if (stopping_) context_.timers.Disarm(retry_);
  if (!paused_ || stopping_) return;
  for (auto& acceptor : acceptors_) {
    if (acceptor->op.in_flight) return RetryIn(1);
  }
  lack = Lacking();
  if (lack) return WaitFor(*lack);
  if (short_of_fds_ && !AreFdsFree(kFdsOfSession)) return RetryIn(kRetryMs);
  paused_ = short_of_fds_ = false;
  context_.timers.Disarm(retry_);
  Open();
}

bool Listener::EndTurn() {
  bool made_room = false;
  while (Session* session = ended_) {
    ended_ = session->after;
    // One that ended for want of a descriptor frees only what the next one would lack again.
    made_room = made_room || session->reason() != CloseReason::no_fd;
    session->~Session();
    context_.blocks.Give(session, sizeof(Session));
    context_.crew.Ended(context_.index, context_.engine.now_ms());
  }
  if (stopping_ && closed()) plan_.progress->closed.store(true, std::memory_order_release);
  return made_room;
}

void Listener::CloseSessions(CloseReason reason) {
  closing_ = reason;
  for (Session *session = live_, *next; session != nullptr; session = next) {
    next = session->after;
    session->Close(reason);
  }
  while (!parked_.empty()) {  // Nobody will serve them.
    counters().accepted.Add();
    counters().closed.Add();
    counters().closed_by_reason[static_cast<size_t>(reason)].Add();
    context_.engine.Close(parked_.front().fd, CloseKind::kReset);
    parked_.pop_front();
  }
  if (stopping_) context_.timers.Disarm(retry_);
}

void Listener::HurrySessions() {
  hurry_ = true;
  for (Session *session = live_, *next; session != nullptr; session = next) {
    next = session->after;
    session->Hurry();
  }
}

void Listener::RefreshSessions() {
  for (Session* session = live_; session != nullptr; session = session->after) session->Refresh();
}

void Listener::ForEachSession(absl::FunctionRef<void(Session& session)> visit) {
  for (Session *session = live_, *next; session != nullptr; session = next) {
    next = session->after;
    visit(*session);
  }
}

bool Listener::closed() const {
  for (const auto& acceptor : acceptors_) {
    if (acceptor->fd >= 0) return false;
  }
  return parked_.empty();
}

uint64_t Listener::NextSessionId() {
  // Unique in the process: the worker in the upper bits.
  return static_cast<uint64_t>(context_.index + 1) << 48 | ++context_.last_session;
}

}  // namespace l4lb

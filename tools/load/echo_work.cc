// SPDX-License-Identifier: Apache-2.0
#include "tools/load/echo_work.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace l4lb::load {
namespace {

constexpr int64_t kReconnectEveryNs = 50 * kNsPerMs;

}  // namespace

EchoConnection::EchoConnection(EchoWork& work)
    : work_(work), size_(static_cast<uint64_t>(work.options().size)) {}

void EchoConnection::OnConnected() {
  work_.OnMemberOpen();
  key_ = work_.NextKey();
  due_ = answered_ = sent_ = received_ = 0;
  if (work_.options().ask) {
    const Ask::Bytes ask = Ask{.mode = Mode::kEcho, .key = key_}.ToBytes();
    if (Send(ask.data(), ask.size()).bytes != ask.size()) return Lose();
  }
  if (work_.sending() && !work_.open_loop() && work_.BeginOperation()) SendNext(NowNs());
}

void EchoConnection::OnDialFailed(int error) { work_.OnMemberDialFailed(error); }

int64_t EchoConnection::ScheduledNs(uint64_t nth) const {
  if (!work_.open_loop()) return scheduled_ns_;
  const uint64_t round = answered_ + nth;
  return work_.ScheduledNs(first_message_ + round * static_cast<uint64_t>(work_.size()));
}

void EchoConnection::SendNext(int64_t now_ns) {
  scheduled_ns_ = now_ns;
  ++due_;
  SendDue();
}

void EchoConnection::OnDue(uint64_t message) {
  if (due_ == 0) first_message_ = message;
  ++due_;
  SendDue();
}

void EchoConnection::SendDue() {
  const uint64_t wanted = due_ * size_;
  while (open() && sent_ < wanted) {
    const size_t run = std::min<uint64_t>(wanted - sent_, Pattern::kRun);
    const Moved moved = Send(work_.pattern().At(key_, sent_), run);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "send");
      return Lose();
    }
    sent_ += moved.bytes;
    Live::Add(work_.live().bytes_up, moved.bytes);
  }
}

void EchoConnection::OnEvents(uint32_t events) {
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    ReceiveAll((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
  }
  if ((events & EPOLLOUT) != 0) SendDue();
}

// After a short read nothing more lies there, unless the peer has ended.
void EchoConnection::ReceiveAll(bool to_the_end) {
  while (open()) {
    const Moved moved = Receive(work_.scratch(), Work::kReadSize);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "receive");
      return Lose();
    }
    if (moved.end) {
      work_.Fail(Failure::closed_early, absl::StrCat("closed by the far end after ", received_,
                                                     " of ", sent_, " bytes came back"));
      return Lose();
    }
    if (!OnBytes(moved.bytes)) return Lose();
    if (moved.bytes < Work::kReadSize && !to_the_end) return;
  }
}

// False when they are wrong.
bool EchoConnection::OnBytes(size_t bytes) {
  Live::Add(work_.live().bytes_down, bytes);
  if (work_.options().verify && work_.FailIfWrong(key_, received_, work_.scratch(), bytes)) {
    return false;
  }
  received_ += bytes;
  const uint64_t complete = std::min(received_ / size_, due_);
  if (complete == answered_) return true;
  for (const int64_t now_ns = NowNs(); answered_ < complete;) OnAnswer(now_ns);
  return true;
}

void EchoConnection::OnAnswer(int64_t now_ns) {
  const int64_t scheduled_ns = ScheduledNs(0);
  ++answered_;
  work_.EndOperation(scheduled_ns, now_ns);
  if (!work_.open_loop() && work_.BeginOperation()) SendNext(now_ns);
}

void EchoConnection::Lose() {
  Close();
  work_.OnMemberClosed();
  work_.AbandonOperations(static_cast<int64_t>(outstanding()));
  due_ = answered_;
}

EchoWork::EchoWork(const Options& options, const Pattern& pattern, Share share,
                   std::atomic<bool>& stop)
    : FleetWork(options, pattern, share, stop) {
  const int64_t connections = share.Part(options.connections);
  for (int i = 0; i < connections; ++i) {
    connections_.push_back(std::make_unique<EchoConnection>(*this));
  }
  if (options.rate > 0) {
    // A thread's part of the rate is its part of the connections.
    const double rate = options.rate * static_cast<double>(connections) / options.connections;
    interval_ns_ = kNsPerSecond / rate;
  }
}

uint64_t EchoWork::NextKey() {
  return 1 + static_cast<uint64_t>(share().index) + keys_++ * static_cast<uint64_t>(share().of);
}

int64_t EchoWork::ScheduledNs(uint64_t message) const {
  return window().begin_ns + static_cast<int64_t>(static_cast<double>(message) * interval_ns_);
}

void EchoWork::Begin() {
  if (open_loop()) return;
  for (const auto& connection : connections_) {
    if (connection->open() && BeginOperation()) connection->SendNext(window().begin_ns);
  }
}

int64_t EchoWork::OnTurn(int64_t now_ns) {
  if (options().reconnect && !ended() && now_ns >= reconnect_at_ns_) Reconnect(now_ns);
  if (!open_loop()) return options().reconnect ? reconnect_at_ns_ : kNever;
  int64_t next_ns = ScheduledNs(scheduled_);
  while (next_ns <= now_ns && !ended() && BeginOperation()) {
    EchoConnection& connection = *connections_[scheduled_ % connections_.size()];
    if (connection.open()) {
      connection.OnDue(scheduled_);
    } else {
      AbandonOperations();
    }
    next_ns = ScheduledNs(++scheduled_);
  }
  return ended() ? kNever : next_ns;
}

void EchoWork::Reconnect(int64_t now_ns) {
  reconnect_at_ns_ = now_ns + kReconnectEveryNs;
  for (const auto& connection : connections_) {
    connection->GiveUpDialing(now_ns - options().connect_timeout_ms * kNsPerMs);
    if (connection->state() == Connection::State::kClosed) DialMember(*connection);
  }
}

bool EchoWork::Idle() const {
  return std::all_of(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->outstanding() == 0; });
}

// A message that was never answered took at least until now.
void EchoWork::GiveUp(int64_t now_ns) {
  for (const auto& connection : connections_) {
    const uint64_t left = stopped() ? 0 : connection->outstanding();
    if (left > 0) mutable_tally().Fail(Failure::unanswered, "no answer until the end", left);
    for (uint64_t i = 0; i < left; ++i) RecordLatency(connection->ScheduledNs(i), now_ns);
    connection->Close();
  }
}

}  // namespace l4lb::load

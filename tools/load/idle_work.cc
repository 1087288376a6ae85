// SPDX-License-Identifier: Apache-2.0
#include "tools/load/idle_work.h"

#include <algorithm>
#include <cerrno>

namespace l4lb::load {

IdleConnection::IdleConnection(IdleWork& work, uint64_t key) : work_(work), key_(key) {}

void IdleConnection::OnConnected() {
  work_.OnMemberOpen();
  if (work_.options().ask) {
    const Ask::Bytes ask = Ask{.mode = Mode::kEcho, .key = key_}.ToBytes();
    if (Send(ask.data(), ask.size()).bytes != ask.size()) return Lose();
  }
  Exchange();
}

void IdleConnection::OnDialFailed(int error) { work_.OnMemberDialFailed(error); }

void IdleConnection::Exchange() {
  const uint64_t size = static_cast<uint64_t>(work_.options().size);
  if (size == 0 || !open()) return;
  exchanged_ns_ = NowNs();
  const Moved moved = Send(work_.pattern().At(key_, sent_), size);
  sent_ += moved.bytes;
  Live::Add(work_.live().bytes_up, moved.bytes);
  if (moved.bytes == size) return;
  work_.FailOfErrno(moved.error != 0 ? moved.error : ENOBUFS, "send");
  Lose();
}

void IdleConnection::OnEvents(uint32_t /*events*/) {
  while (open()) {
    const Moved moved = Receive(work_.scratch(), Work::kScratch);
    if (moved.error == EAGAIN) return;
    if (moved.error != 0) {
      work_.FailOfErrno(moved.error, "receive");
      return Lose();
    }
    if (moved.end) {
      work_.Fail(Failure::closed_early, "closed by the far end while idle");
      return Lose();
    }
    OnBytes(moved.bytes);
  }
}

void IdleConnection::OnBytes(size_t bytes) {
  Live::Add(work_.live().bytes_down, bytes);
  const bool too_many = received_ + bytes > sent_;
  if (too_many) work_.Fail(Failure::wrong_bytes, "bytes that nobody asked for");
  if (too_many || work_.FailIfWrong(key_, received_, work_.scratch(), bytes)) return Lose();
  received_ += bytes;
  if (received_ == sent_) work_.EndOperation(exchanged_ns_, NowNs());
}

void IdleConnection::Lose() {
  Close();
  work_.OnMemberClosed();
}

IdleWork::IdleWork(const Options& options, const Pattern& pattern, Share share,
                   std::atomic<bool>& stop)
    : FleetWork(options, pattern, share, stop) {
  for (int64_t i = 0; i < share.Part(options.connections); ++i) {
    const int64_t key = 1 + share.index + i * share.of;
    connections_.push_back(std::make_unique<IdleConnection>(*this, static_cast<uint64_t>(key)));
  }
}

bool IdleWork::Ready() const {
  return std::none_of(connections_.begin(), connections_.end(),
                      [](const auto& connection) { return connection->waiting(); });
}

void IdleWork::End() {
  if (stopped()) return;
  for (const auto& connection : connections_) connection->Exchange();
}

void IdleWork::GiveUp(int64_t /*now_ns*/) {
  for (const auto& connection : connections_) {
    if (!connection->waiting() || stopped()) continue;
    Fail(Failure::unanswered, "no answer at the end of an idle time");
    connection->Lose();
  }
}

}  // namespace l4lb::load

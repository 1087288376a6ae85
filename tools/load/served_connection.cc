// SPDX-License-Identifier: Apache-2.0
#include "tools/load/served_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace l4lb::load {
namespace {

constexpr size_t kEchoSize = 64 * 1024;
// Calls in a row before other connections have their turn.
constexpr int kMostSteps = 16;

}  // namespace

void ServedConnection::Adopt(UniqueFd fd, const Ask& ask) {
  fd_ = std::move(fd);
  ask_ = ask;
  ask_size_ = 0;
  end_is_near_ = dropping_ = input_ended_ = false;
  pending_.clear();
  pending_sent_ = received_ = sent_ = 0;
  first_wrong_ = Verdict::kAllRight;
}

void ServedConnection::OnReady(uint32_t events) {
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) end_is_near_ = true;
  Continue();
}

void ServedConnection::Continue() {
  later_ = false;
  if (!fd_) return;
  for (int i = 0; i < kMostSteps; ++i) {
    if (Serve() != Step::kAgain) return;
  }
  if (std::exchange(later_, true)) return;
  thread_.Later(this);
}

ServedConnection::Step ServedConnection::Serve() {
  if (dropping_) return DropToTheEnd();
  switch (ask_.mode) {
    case Mode::kEcho:
      return Echo();
    case Mode::kSink:
      return Sink();
    case Mode::kSource:
      return Source();
    case Mode::kBoth:
      return Both();
    case Mode::kAnswer:
      return Answer();
    case Mode::kAsk:
      return ReadAsk();
  }
  return Close();
}

ServedConnection::Step ServedConnection::ReadAsk() {
  const ssize_t got =
      recv(fd_.get(), ask_bytes_.data() + ask_size_, ask_bytes_.size() - ask_size_, 0);
  if (got < 0) return Failed(errno);
  if (got == 0) return Close();
  ask_size_ += static_cast<size_t>(got);
  if (ask_size_ < ask_bytes_.size()) return Step::kAgain;
  const std::optional<Ask> ask = Ask::FromBytes(ask_bytes_);
  if (!ask.has_value()) return Reset();
  ask_ = *ask;
  if (ask_.mode == Mode::kAnswer) received_ = Ask::kSize;
  return Step::kAgain;
}

ServedConnection::Step ServedConnection::Echo() {
  if (!pending_.empty()) return Flush();
  return EchoOnce();
}

ServedConnection::Step ServedConnection::EchoOnce() {
  size_t most = kEchoSize;
  if (ask_.limit > 0) most = std::min<uint64_t>(most, ask_.limit - sent_);
  const ssize_t got = recv(fd_.get(), thread_.scratch(), most, 0);
  if (got < 0) return Failed(errno);
  if (got == 0) return Close();
  const ssize_t sent = send(fd_.get(), thread_.scratch(), static_cast<size_t>(got), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return Close();
  const size_t taken = static_cast<size_t>(std::max<ssize_t>(sent, 0));
  sent_ += taken;
  if (taken < static_cast<size_t>(got)) {
    pending_.assign(thread_.scratch() + taken, static_cast<size_t>(got) - taken);
    pending_sent_ = 0;
    return Step::kWait;
  }
  if (MeetFate()) return fd_ ? Step::kAgain : Step::kClosed;
  return static_cast<size_t>(got) == most ? Step::kAgain : AfterShortRead();
}

// Nothing more lies there but, perhaps, the end; if not yet, it comes with an event of its own.
ServedConnection::Step ServedConnection::AfterShortRead() const {
  return end_is_near_ ? Step::kAgain : Step::kWait;
}

ServedConnection::Step ServedConnection::Flush() {
  const ssize_t sent = send(fd_.get(), pending_.data() + pending_sent_,
                            pending_.size() - pending_sent_, MSG_NOSIGNAL);
  if (sent < 0) return Failed(errno);
  pending_sent_ += static_cast<size_t>(sent);
  sent_ += static_cast<uint64_t>(sent);
  if (pending_sent_ == pending_.size()) {
    pending_ = std::string();  // Its memory too: most connections never need any.
    if (MeetFate() && !fd_) return Step::kClosed;
  }
  return Step::kAgain;
}

bool ServedConnection::MeetFate() {
  if (ask_.limit == 0 || sent_ < ask_.limit) return false;
  if (ask_.fate == Fate::kReset) {
    Reset();
  } else {
    shutdown(fd_.get(), SHUT_WR);
    // kBoth still looks at what comes in.
    dropping_ = ask_.mode != Mode::kBoth || input_ended_;
  }
  return true;
}

ServedConnection::Step ServedConnection::DropToTheEnd() {
  const ssize_t got = recv(fd_.get(), thread_.scratch(), ServingThread::kScratch, MSG_TRUNC);
  if (got < 0) return Failed(errno);
  return got == 0 ? Close() : Step::kAgain;
}

ServedConnection::Step ServedConnection::Sink() {
  const int flags = ask_.verify ? 0 : MSG_TRUNC;
  const ssize_t got = recv(fd_.get(), thread_.scratch(), ServingThread::kScratch, flags);
  if (got < 0) return Failed(errno);
  if (got > 0) {
    if (ask_.verify) Check(static_cast<size_t>(got));
    received_ += static_cast<uint64_t>(got);
    return Step::kAgain;
  }
  input_ended_ = true;
  if (ask_.mode == Mode::kBoth && sent_ < ask_.limit) return Step::kWait;
  if (!ask_.verify || ask_.mode != Mode::kSink) return Close();
  const Verdict::Bytes verdict = Verdict{received_, first_wrong_}.ToBytes();
  send(fd_.get(), verdict.data(), verdict.size(), MSG_NOSIGNAL);
  return Close();
}

// False when a byte is wrong.
bool ServedConnection::Check(size_t bytes) {
  if (first_wrong_ != Verdict::kAllRight) return false;
  const std::optional<size_t> wrong =
      thread_.pattern().FirstWrong(ask_.key, received_, thread_.scratch(), bytes);
  if (wrong.has_value()) first_wrong_ = received_ + *wrong;
  return !wrong.has_value();
}

ServedConnection::Step ServedConnection::Source() {
  size_t run = Pattern::kRun;
  if (ask_.limit > 0) run = std::min<uint64_t>(run, ask_.limit - sent_);
  const ssize_t sent = send(fd_.get(), thread_.pattern().At(ask_.key, sent_), run, MSG_NOSIGNAL);
  if (sent >= 0) {
    sent_ += static_cast<uint64_t>(sent);
    return MeetFate() && !fd_ ? Step::kClosed : Step::kAgain;
  }
  if (errno != EAGAIN || ask_.mode == Mode::kBoth) return Failed(errno);
  // What the client says is of no interest, but its end is.
  const ssize_t got = recv(fd_.get(), thread_.scratch(), ServingThread::kScratch, MSG_TRUNC);
  if (got == 0 && ask_.limit == 0) return Close();
  return got > 0 ? Step::kAgain : got == 0 ? Step::kWait : Failed(errno);
}

// One step of each.  A wrong byte is answered by a reset: the stream down has no room for a word.
ServedConnection::Step ServedConnection::Both() {
  const Step in = input_ended_ ? Step::kWait : Sink();
  if (in == Step::kClosed) return in;
  if (first_wrong_ != Verdict::kAllRight) return Reset();
  const bool all_sent = ask_.limit > 0 && sent_ >= ask_.limit;
  const Step out = all_sent ? Step::kWait : Source();
  if (out == Step::kClosed) return out;
  return in == Step::kWait && out == Step::kWait ? Step::kWait : Step::kAgain;
}

ServedConnection::Step ServedConnection::Answer() {
  if (received_ < ask_.size) {
    const size_t most = std::min<uint64_t>(ServingThread::kScratch, ask_.size - received_);
    const ssize_t got = recv(fd_.get(), thread_.scratch(), most, MSG_TRUNC);
    if (got < 0) return Failed(errno);
    if (got == 0) return Close();
    received_ += static_cast<uint64_t>(got);
    return Step::kAgain;
  }
  const size_t run = std::min<uint64_t>(Pattern::kRun, ask_.size - sent_);
  const ssize_t sent = send(fd_.get(), thread_.pattern().At(ask_.key, sent_), run, MSG_NOSIGNAL);
  if (sent < 0) return Failed(errno);
  sent_ += static_cast<uint64_t>(sent);
  if (sent_ < ask_.size) return Step::kAgain;
  if (ask_.close_first) return Close();
  received_ = sent_ = 0;
  return AfterShortRead();
}

ServedConnection::Step ServedConnection::Failed(int error) {
  return error == EAGAIN ? Step::kWait : Close();
}

ServedConnection::Step ServedConnection::Reset() {
  const linger now = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  return Close();
}

ServedConnection::Step ServedConnection::Close() {
  fd_.Reset();
  pending_ = std::string();
  thread_.Retire(this);
  return Step::kClosed;
}

}  // namespace l4lb::load

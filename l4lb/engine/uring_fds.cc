// SPDX-License-Identifier: Apache-2.0
//
// What UringEngine does per fd: its watch, and its close.
#include <poll.h>

#include "glog/logging.h"
#include "l4lb/engine/uring_engine.h"
#include "l4lb/engine/uring_pump_state.h"

namespace l4lb {
namespace {

// Most of what would need a watch is over in no time: a backend is connected, the second half of a
// session ends, a full socket has room again.
constexpr int64_t kPatienceMs = 5;

}  // namespace

bool UringEngine::IsBroken(int fd) {
  const UringFd& entry = Entry(fd);
  return entry.error || (entry.hung_up && HangUpIsReset(fd));
}

void UringEngine::WatchNow(int fd) {
  UringFd& entry = Entry(fd);
  if (entry.watched) return;
  entry.watched = true;
  ++watches_;
  ring_->AddMultishotPoll(fd, POLLOUT, Tag(fd));
}

void UringEngine::WatchSoon(int fd) {
  UringFd& entry = Entry(fd);
  if (entry.watched || entry.watch_queued || IsLatched(fd)) return;
  entry.watch_queued = true;
  to_watch_.push_back({.fd = fd, .at_ms = now_ms_ + kPatienceMs});
}

void UringEngine::StartDueWatches() {
  while (!to_watch_.empty() && to_watch_.front().at_ms <= now_ms_) {
    const int fd = to_watch_.front().fd;
    to_watch_.pop_front();
    Entry(fd).watch_queued = false;  // Perhaps of another socket than was meant: no harm.
    if (NeedsWatch(fd)) WatchNow(fd);
  }
}

// Whether there is an op that must hear of a reset and no request in flight that would.
bool UringEngine::NeedsWatch(int fd) {
  const UringFd& entry = Entry(fd);
  if (IsLatched(fd)) return false;
  if (entry.watcher != nullptr || entry.blocked) return true;
  if (entry.reader == nullptr) {
    return entry.writer != nullptr && entry.writer->kind == Op::Kind::kPump;
  }
  if (entry.reader->kind != Op::Kind::kPump) return false;
  const PumpState& state = static_cast<PumpOp*>(entry.reader)->scratch.As<PumpState>();
  return (state.requests & (PumpState::kReceive | PumpState::kReadable)) == 0;
}

void UringEngine::EndWatch(int fd) {
  UringFd& entry = Entry(fd);
  if (!entry.watched || entry.watch_cancelled) return;
  entry.watch_cancelled = true;
  ring_->Cancel(Tag(fd));
}

void UringEngine::Block(int fd) {
  Entry(fd).blocked = true;
  WatchNow(fd);
}

void UringEngine::OnFd(int fd, int32_t result, uint32_t flags) {
  UringFd& entry = Entry(fd);
  if ((flags & IORING_CQE_F_MORE) == 0) {
    entry.watched = entry.watch_cancelled = false;
    --watches_;
  }
  if (entry.closing) {
    if (!entry.watched) CloseNow(fd);
    return;
  }
  const uint32_t events = result > 0 ? result : 0;
  const bool broken = (events & (POLLERR | POLLHUP)) != 0;
  if (entry.blocked && (broken || (events & POLLOUT) != 0)) {
    entry.blocked = false;
    if (entry.writer != nullptr) MakeRunnable(*entry.writer);
  }
  if (broken) {
    if ((events & POLLERR) != 0) entry.error = true;
    if ((events & POLLHUP) != 0) entry.hung_up = true;
    NoteBroken(fd);
    EndWatch(fd);  // It has no more to tell, and would delay the close.
  }
  if (entry.watched) return;
  if (entry.blocked) return WatchNow(fd);
  if (NeedsWatch(fd)) WatchSoon(fd);
}

void UringEngine::NoteBroken(int fd) {
  const UringFd& entry = Entry(fd);
  for (Op* const op : {entry.reader, entry.writer, entry.watcher}) {
    // A read finds out by itself.
    if (op != nullptr && (op->engine_flags & kRequest) == 0) MakeRunnable(*op);
  }
}

void UringEngine::Close(int fd, CloseKind kind) {
  UringFd& entry = Entry(fd);
  DCHECK(!entry.reader && !entry.writer && !entry.watcher) << "op in flight on fd " << fd;
  entry.close_by_reset = kind == CloseKind::kReset;
  if (!entry.watched) return CloseNow(fd);
  entry.closing = true;
  EndWatch(fd);
}

void UringEngine::CloseNow(int fd) {
  const CloseKind kind = Entry(fd).close_by_reset ? CloseKind::kReset : CloseKind::kFin;
  Entry(fd) = UringFd{};
  CloseSocket(fd, kind);
}

}  // namespace l4lb

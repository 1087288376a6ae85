// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/epoll_engine.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "glog/logging.h"

namespace l4lb {
namespace {

constexpr uint64_t kWakeTag = ~uint64_t{0};

uint64_t Tag(int fd, uint32_t generation) {
  return uint64_t{generation} << 32 | static_cast<uint32_t>(fd);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> MakeEpollEngine(const EngineOptions& options) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return absl::ErrnoToStatus(errno, "epoll_create1");
  UniqueFd wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake) return absl::ErrnoToStatus(errno, "eventfd");
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = kWakeTag}};
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  return std::make_unique<EpollEngine>(options, std::move(epoll), std::move(wake));
}

EpollEngine::EpollEngine(const EngineOptions& options, UniqueFd epoll, UniqueFd wake)
    : SocketEngine(options),
      epoll_(std::move(epoll)),
      wake_(std::move(wake)),
      buffers_(options.buffer_bytes, options.buffer_count) {}

void EpollEngine::Poll(int64_t wake_at_ms) {
  const int timeout_ms = static_cast<int>(WaitMs(wake_at_ms));
  const int count = ::epoll_wait(epoll_.get(), events_.data(), events_.size(), timeout_ms);
  now_ms_ = clock_.NowMs();
  for (int i = 0; i < count; ++i) OnEvent(events_[i]);
  RunOps();
  ++stats_.turns;
  stats_.buffers_in_use = buffers_.in_use();
  splicer_.Report();
}

void EpollEngine::Wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);  // Fails only when a wake-up is pending anyway.
}

void EpollEngine::OnEvent(const epoll_event& event) {
  if (event.data.u64 == kWakeTag) {
    uint64_t count;
    (void)!::read(wake_.get(), &count, sizeof count);
    return;
  }
  EpollFd& entry = fds_[static_cast<int>(event.data.u64 & 0xffff'ffff)];
  if (entry.generation != event.data.u64 >> 32) return;  // Of an fd closed since.
  const uint32_t mask = event.events;
  const bool broken = (mask & (EPOLLERR | EPOLLHUP)) != 0;
  if ((mask & EPOLLERR) != 0) entry.error = true;
  if ((mask & EPOLLHUP) != 0) entry.hung_up = true;
  if ((mask & EPOLLRDHUP) != 0) entry.finished = true;
  if (broken || (mask & (EPOLLRDHUP | EPOLLPRI)) != 0) entry.unread_mark = true;
  if (broken || (mask & (EPOLLIN | EPOLLRDHUP | EPOLLPRI)) != 0) {
    entry.readable = true;
    if (entry.reader != nullptr) MakeRunnable(*entry.reader);
  }
  if (broken || (entry.blocked && (mask & EPOLLOUT) != 0)) {
    entry.blocked = false;
    if (entry.writer != nullptr) MakeRunnable(*entry.writer);
  }
  if (broken && entry.watcher != nullptr) MakeRunnable(*entry.watcher);
}

void EpollEngine::Abandon(Op& op) {
  if (op.kind == Op::Kind::kConnect) return FinishConnect(static_cast<ConnectOp&>(op), ECANCELED);
  if (op.kind == Op::Kind::kAccept) {
    AcceptOp& accept = static_cast<AcceptOp&>(op);
    return accept.empty_backlog ? AdvanceAccept(accept) : FinishAccept(accept, ECANCELED);
  }
  Finish(op, ECANCELED);
}

void EpollEngine::Cancel(Op& op) {
  if (BeginCancel(op)) MakeRunnable(op);
}

void EpollEngine::Finish(Op& op, int error) {
  if (op.kind == Op::Kind::kPump) ReleasePump(static_cast<PumpOp&>(op));
  Occupy(fds_, op, nullptr);
  Conclude(op, error);
}

bool EpollEngine::IsBroken(int fd) {
  const EpollFd& entry = Entry(fd);
  return entry.error || (entry.hung_up && HangUpIsReset(fd));
}

int EpollEngine::Register(int fd, uint32_t events) {
  EpollFd& entry = Entry(fd);
  if (entry.registered) return 0;
  epoll_event event{.events = events, .data = {.u64 = Tag(fd, entry.generation)}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return errno;
  entry.registered = true;
  entry.wants_out = (events & EPOLLOUT) != 0;
  return 0;
}

void EpollEngine::Unregister(int fd) {
  EpollFd& entry = Entry(fd);
  if (!entry.registered) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  entry.registered = false;
  ++entry.generation;  // An event may have been collected already.
}

void EpollEngine::Block(int fd) {
  EpollFd& entry = fds_[fd];
  entry.blocked = true;
  if (entry.wants_out) return;
  // Changing what is registered makes the kernel look at the socket anew: no edge is missed.
  epoll_event event{.events = kConnected | EPOLLOUT, .data = {.u64 = Tag(fd, entry.generation)}};
  PCHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
  entry.wants_out = true;
}

void EpollEngine::Close(int fd, CloseKind kind) {
  EpollFd& entry = fds_[fd];
  DCHECK(!entry.reader && !entry.writer && !entry.watcher) << "op in flight on fd " << fd;
  const uint32_t generation = entry.generation + 1;
  entry = EpollFd{.generation = generation};
  CloseSocket(fd, kind);
}

}  // namespace l4lb

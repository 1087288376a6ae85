// SPDX-License-Identifier: Apache-2.0
//
// The ops of EpollEngine that move no bulk: accept, connect, watch, send, read.
#include <errno.h>
#include <sys/socket.h>

#include <algorithm>

#include "l4lb/engine/epoll_engine.h"
#include "l4lb/net/bind_source.h"
#include "l4lb/net/listen.h"

namespace l4lb {
namespace {

constexpr int kMostAccepts = 32;  // In a turn; then the sessions already here have theirs.

constexpr int kMaxBacklog = 1 << 16;  // net.core.somaxconn has 16 bits in practice.

bool WeLack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

struct EpollEngine::AcceptState {
  int batch = 1;  // To accept in this turn: doubled while a burst lasts.
};

void EpollEngine::Occupy(Op& op, Op* occupant) {
  switch (op.kind) {
    case Op::Kind::kAccept:
      Entry(static_cast<AcceptOp&>(op).listen_fd).reader = occupant;
      return;
    case Op::Kind::kConnect:
      if (const int fd = static_cast<ConnectOp&>(op).fd; fd >= 0) Entry(fd).writer = occupant;
      return;
    case Op::Kind::kPump:
      Entry(static_cast<PumpOp&>(op).from).reader = occupant;
      Entry(static_cast<PumpOp&>(op).to).writer = occupant;
      return;
    case Op::Kind::kWatch:
      Entry(static_cast<WatchOp&>(op).fd).watcher = occupant;
      return;
    case Op::Kind::kSend:
      Entry(static_cast<SendOp&>(op).fd).writer = occupant;
      return;
    case Op::Kind::kRead:
      Entry(static_cast<ReadOp&>(op).fd).reader = occupant;
      return;
    case Op::Kind::kWait:
      return;
  }
}

// A listening socket is level-triggered, unlike all others: what we leave in the backlog is
// reported again, so that no accept4() is wasted on finding it empty.
void EpollEngine::Accept(AcceptOp& op) {
  Start(op);
  op.scratch.Make<AcceptState>();
  Occupy(op, &op);
  if (const int error = Register(op.listen_fd, EPOLLIN); error != 0) Finish(op, error);
}

void EpollEngine::AdvanceAccept(AcceptOp& op) {
  AcceptState& state = op.scratch.As<AcceptState>();
  const bool emptying = op.empty_backlog && (op.engine_flags & kCancelled) != 0;
  for (int i = 0; i < (emptying ? kMaxBacklog : state.batch); ++i) {
    sockaddr_storage peer;
    socklen_t size = sizeof peer;
    const int fd = ::accept4(op.listen_fd, reinterpret_cast<sockaddr*>(&peer), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      op.accepted(op, fd, SocketAddress(reinterpret_cast<const sockaddr*>(&peer), size));
      if (!emptying && (op.engine_flags & kCancelled) != 0) return;  // It is queued for its end.
      continue;
    }
    const int error = errno;
    if (error == EAGAIN && emptying) return FinishAccept(op, ECANCELED);
    if (error == EAGAIN) {
      state.batch = 1;
      return;
    }
    if (WeLack(error) && pipes_.Shrink()) continue;
    // Anything that is not about the listening socket is the fate of one connection (accept(2):
    // ECONNABORTED, EPROTO, EPERM by a firewall, network errors).
    if (WeLack(error) || error == EBADF || error == EINVAL || error == ENOTSOCK) {
      return FinishAccept(op, error);
    }
  }
  if (emptying) return FinishAccept(op, ECANCELED);
  state.batch = std::min(state.batch * 2, kMostAccepts);
}

void EpollEngine::FinishAccept(AcceptOp& op, int error) {
  Unregister(op.listen_fd);  // Or it would be reported again and again.
  Finish(op, error);
}

void EpollEngine::Connect(ConnectOp& op) {
  Start(op);
  op.fd = -1;
  int error = OpenAndConnect(op);
  if (WeLack(error) && pipes_.Shrink()) error = OpenAndConnect(op);
  if (error != 0 && error != EINPROGRESS) return FinishConnect(op, error);
  Occupy(op, &op);
  if (error == 0) return MakeRunnable(op);
  Entry(op.fd).blocked = true;  // Until EPOLLOUT.
}

// 0 when connected, EINPROGRESS, or why not.
int EpollEngine::OpenAndConnect(ConnectOp& op) {
  const int family = op.peer->family();
  const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  op.fd = fd;
  int error = family == AF_UNIX ? 0 : SetStreamOptions(fd);
  if (error == 0 && op.source != nullptr) error = BindSource(fd, *op.source);
  if (error == 0 && ::connect(fd, op.peer->get(), op.peer->size()) != 0) error = errno;
  if (error != 0 && error != EINPROGRESS) {
    ::close(fd);
    op.fd = -1;
    return error;
  }
  if (const int failed = Register(fd, kConnected | EPOLLOUT); failed != 0) {
    Close(fd, CloseKind::kReset);
    op.fd = -1;
    return failed;
  }
  return error;
}

void EpollEngine::AdvanceConnect(ConnectOp& op) {
  const FdEntry& entry = Entry(op.fd);
  if (entry.error || entry.hung_up) {
    // Not yet a connected socket, so SO_ERROR is ours to read.  A peer that reset the connection
    // before anything passed has refused it.
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(op.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return FinishConnect(op, error != 0 ? error : ECONNREFUSED);
  }
  // Both ends of a loopback connection may be the same socket: the port was free, and our own local
  // port hit it.  It must not block the real backend's port.
  if (InEphemeralRange(op.peer->port()) && IsSelfConnected(op.fd)) {
    return FinishConnect(op, ECONNREFUSED);
  }
  FinishConnect(op, 0);
}

void EpollEngine::FinishConnect(ConnectOp& op, int error) {
  Finish(op, error);
  if (error == 0 || op.fd < 0) return;
  Close(op.fd, CloseKind::kReset);
  op.fd = -1;
}

void EpollEngine::Watch(WatchOp& op) {
  Start(op);
  Occupy(op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  const FdEntry& entry = Entry(op.fd);
  if (entry.error || entry.hung_up) MakeRunnable(op);
}

void EpollEngine::AdvanceWatch(WatchOp& op) {
  if (IsBroken(op.fd)) Finish(op, 0);
}

void EpollEngine::Send(SendOp& op) {
  Start(op);
  op.sent = 0;
  Occupy(op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  MakeRunnable(op);
}

void EpollEngine::AdvanceSend(SendOp& op) {
  while (op.sent < op.data.size()) {
    const ssize_t n = ::send(op.fd, op.data.data() + op.sent, op.data.size() - op.sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      op.sent += n;
    } else if (errno == EAGAIN) {
      return Block(op.fd);
    } else if (errno != EINTR) {
      return Finish(op, errno);
    }
  }
  Finish(op, 0);
}

void EpollEngine::Read(ReadOp& op) {
  Start(op);
  op.size = 0;
  Occupy(op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  MakeRunnable(op);
}

void EpollEngine::AdvanceRead(ReadOp& op) {
  // TCP drops the bytes itself with MSG_TRUNC (tcp(7)).
  const int flags = MSG_DONTWAIT | (op.data == nullptr ? MSG_TRUNC : 0);
  ssize_t n;
  do {
    n = ::recv(op.fd, op.data, op.capacity, flags);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) {
    Entry(op.fd).readable = false;
    return;
  }
  op.size = n > 0 ? n : 0;
  Finish(op, n < 0 ? errno : 0);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The insides of the small ops of SocketEngine: what is done once a socket may be ready.
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "l4lb/engine/socket_engine.h"
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

struct SocketEngine::AcceptState {
  int batch = 1;  // To accept in this turn: doubled while a burst lasts.
};

void SocketEngine::StartAccept(AcceptOp& op) {
  Start(op);
  op.scratch.Make<AcceptState>();
}

std::optional<int> SocketEngine::AcceptSome(AcceptOp& op) {
  AcceptState& state = op.scratch.As<AcceptState>();
  const bool emptying = op.empty_backlog && (op.engine_flags & kCancelled) != 0;
  for (int i = 0; i < (emptying ? kMaxBacklog : state.batch); ++i) {
    sockaddr_storage peer;
    socklen_t size = sizeof peer;
    const int fd = ::accept4(op.listen_fd, reinterpret_cast<sockaddr*>(&peer), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      op.accepted(op, fd, SocketAddress(reinterpret_cast<const sockaddr*>(&peer), size));
      // It is queued for its end.
      if (!emptying && (op.engine_flags & kCancelled) != 0) return std::nullopt;
      continue;
    }
    const int error = errno;
    if (error == EAGAIN && emptying) return ECANCELED;
    if (error == EAGAIN) {
      state.batch = 1;
      return std::nullopt;
    }
    if (WeLack(error) && splicer_.Shrink()) continue;
    // Anything that is not about the listening socket is the fate of one connection (accept(2):
    // ECONNABORTED, EPROTO, EPERM by a firewall, network errors).
    if (WeLack(error) || error == EBADF || error == EINVAL || error == ENOTSOCK) return error;
  }
  if (emptying) return ECANCELED;
  state.batch = std::min(state.batch * 2, kMostAccepts);
  return std::nullopt;
}

int SocketEngine::OpenAndConnect(ConnectOp& op) {
  const int error = TryConnect(op);
  return WeLack(error) && splicer_.Shrink() ? TryConnect(op) : error;
}

int SocketEngine::TryConnect(ConnectOp& op) {
  op.fd = -1;
  const int family = op.peer->family();
  const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  int error = family == AF_UNIX ? 0 : SetStreamOptions(fd);
  if (error == 0 && op.source != nullptr) error = BindSource(fd, *op.source);
  if (error == 0 && ::connect(fd, op.peer->get(), op.peer->size()) != 0) error = errno;
  if (error == 0 || error == EINPROGRESS) {
    op.fd = fd;
  } else {
    ::close(fd);
  }
  return error;
}

int SocketEngine::ConnectResult(const ConnectOp& op, bool broken) {
  if (broken) {
    // Not yet a connected socket, so SO_ERROR is ours to read.  A peer that reset the connection
    // before anything passed has refused it.
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(op.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error != 0 ? error : ECONNREFUSED;
  }
  // Both ends of a loopback connection may be the same socket: the port was free, and our own local
  // port hit it.  It must not block the real backend's port.
  return InEphemeralRange(op.peer->port()) && IsSelfConnected(op.fd) ? ECONNREFUSED : 0;
}

std::optional<int> SocketEngine::SendSome(SendOp& op) {
  while (op.sent < op.data.size()) {
    const ssize_t n = ::send(op.fd, op.data.data() + op.sent, op.data.size() - op.sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      op.sent += n;
    } else if (errno == EAGAIN) {
      return std::nullopt;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::optional<int> SocketEngine::ReadSome(ReadOp& op) {
  // TCP drops the bytes itself with MSG_TRUNC (tcp(7)).
  const int flags = MSG_DONTWAIT | (op.data == nullptr ? MSG_TRUNC : 0);
  ssize_t n;
  do {
    n = ::recv(op.fd, op.data, op.capacity, flags);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return std::nullopt;
  op.size = n > 0 ? n : 0;
  return n < 0 ? errno : 0;
}

void SocketEngine::StartPump(PumpOp& op, size_t prefix_bytes) {
  op.failed = PumpOp::End::kNone;
  op.from_was_reset = false;
  op.taken = prefix_bytes;
  op.bytes = 0;
  op.first_at_ms = op.moved_at_ms = 0;
  op.taken_in_turn = 0;
}

}  // namespace l4lb

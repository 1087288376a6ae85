// SPDX-License-Identifier: Apache-2.0
#include "tools/load/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

namespace l4lb::load {
namespace {

Moved Received(int fd, char* data, size_t size, int flags) {
  const ssize_t got = recv(fd, data, size, flags);
  if (got < 0) return {.error = errno};
  return {.bytes = static_cast<size_t>(got), .end = got == 0};
}

}  // namespace

int Connection::Dial(Dialer& dialer, EventLoop& loop) {
  dialed_ns_ = NowNs();
  if (int error = dialer.Dial(&fd_)) return error;
  state_ = State::kConnecting;
  const int error = loop.Watch(fd_.get(), this);
  if (error != 0) Close();
  return error;
}

void Connection::GiveUpDialing(int64_t before_ns) {
  if (state_ != State::kConnecting || dialed_ns_ >= before_ns) return;
  Close();
  OnDialFailed(ETIMEDOUT);
}

void Connection::Close() {
  fd_.Reset();
  state_ = State::kClosed;
}

void Connection::Reset() {
  const linger now = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  Close();
}

void Connection::OnReady(uint32_t events) {
  if (state_ == State::kConnecting) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    int error = 0;
    socklen_t size = sizeof(error);
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
      getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
      Close();
      OnDialFailed(error);
      return;
    }
    state_ = State::kOpen;
    OnConnected();
    // What came with the end of the handshake is in this event already.
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) == 0) return;
  }
  if (state_ == State::kOpen) OnEvents(events);
}

Moved Connection::Send(const char* data, size_t size) {
  const ssize_t sent = send(fd_.get(), data, size, MSG_NOSIGNAL);
  if (sent < 0) return {.error = errno};
  return {.bytes = static_cast<size_t>(sent)};
}

Moved Connection::Receive(char* data, size_t size) { return Received(fd_.get(), data, size, 0); }

Moved Connection::Drop(char* scratch, size_t size) {
  return Received(fd_.get(), scratch, size, MSG_TRUNC);
}

void Connection::Finish() { shutdown(fd_.get(), SHUT_WR); }

}  // namespace l4lb::load

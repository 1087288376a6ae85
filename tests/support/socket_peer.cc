// SPDX-License-Identifier: Apache-2.0
#include "tests/support/socket_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>

#include "glog/logging.h"
#include "l4lb/net/listen.h"

namespace l4lb {
namespace {

SocketAddress AnyPort(FarEnds::Family family) {
  static int next_unix = 0;
  std::string text = family == FarEnds::Family::kIpv6 ? "[::1]:0" : "127.0.0.1:0";
  if (family == FarEnds::Family::kUnix) {
    text = "unix:/tmp/l4lb-peer." + std::to_string(::getpid()) + "." + std::to_string(next_unix++);
  }
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(text, &address, &error)) << error;
  return address;
}

void SetQueues(int fd, const QueueBytes& bytes) {
  if (bytes.send > 0) {
    PCHECK(::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes.send, sizeof bytes.send) == 0);
  }
  if (bytes.receive > 0) {
    PCHECK(::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes.receive, sizeof bytes.receive) == 0);
  }
}

UniqueFd NewSocket(int family) {
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  PCHECK(fd.get() >= 0);
  return fd;
}

UniqueFd ListenAt(const SocketAddress& address, int backlog, const QueueBytes& bytes = {}) {
  UniqueFd fd = NewSocket(address.family());
  SetQueues(fd.get(), bytes);  // Before listen(): accepted sockets inherit them, windows included.
  PCHECK(::bind(fd.get(), address.get(), address.size()) == 0) << address.ToString();
  PCHECK(::listen(fd.get(), backlog) == 0);
  return fd;
}

UniqueFd Begin(const SocketAddress& address, const QueueBytes& bytes = {}) {
  UniqueFd fd = NewSocket(address.family());
  SetQueues(fd.get(), bytes);
  if (::connect(fd.get(), address.get(), address.size()) != 0) PCHECK(errno == EINPROGRESS);
  return fd;
}

bool WaitFor(int fd, int16_t events, int timeout_ms) {
  pollfd ready{.fd = fd, .events = events, .revents = 0};
  return ::poll(&ready, 1, timeout_ms) == 1;
}

UniqueFd AcceptFrom(int listen_fd) {
  return UniqueFd(::accept4(listen_fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

class SocketPeerListener final : public PeerListener {
 public:
  explicit SocketPeerListener(const SocketAddress& address)
      : fd_(ListenAt(address, 1024)), address_(LocalAddress(fd_.get())) {}
  ~SocketPeerListener() override {
    if (address_.family() == AF_UNIX) ::unlink(address_.ToString().c_str() + sizeof "unix:" - 1);
  }

  const SocketAddress& address() const override { return address_; }
  std::unique_ptr<Peer> Accept() override {
    UniqueFd fd = AcceptFrom(fd_.get());
    return fd ? std::make_unique<SocketPeer>(std::move(fd)) : nullptr;
  }

 private:
  UniqueFd fd_;
  const SocketAddress address_;
};

/// Lowers the limit of this process to the fds that it has.
class SocketFdShortage final : public FarEnds::FdShortage {
 public:
  SocketFdShortage() {
    PCHECK(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    UniqueFd next(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
    PCHECK(next.get() >= 0);
    const rlimit now{.rlim_cur = static_cast<rlim_t>(next.get()), .rlim_max = before_.rlim_max};
    PCHECK(::setrlimit(RLIMIT_NOFILE, &now) == 0);
  }
  ~SocketFdShortage() override { PCHECK(::setrlimit(RLIMIT_NOFILE, &before_) == 0); }

 private:
  rlimit before_;
};

}  // namespace

SocketPeer::SocketPeer(UniqueFd fd)
    : fd_(std::move(fd)),
      address_(LocalAddress(fd_.get())),
      remote_address_(PeerAddress(fd_.get())) {}

size_t SocketPeer::Send(std::string_view data) {
  size_t sent = 0;
  while (fd_ && sent < data.size()) {
    const ssize_t size =
        ::send(fd_.get(), data.data() + sent, data.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    broken_ |= size < 0 && errno != EAGAIN;
    if (size <= 0) break;
    sent += static_cast<size_t>(size);
  }
  return sent;
}

bool SocketPeer::SendUrgent(char byte) {
  return ::send(fd_.get(), &byte, 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

std::string SocketPeer::Receive(size_t limit) {
  std::string data;
  while (fd_ && data.size() < limit) {
    char buffer[64 << 10];
    const ssize_t size =
        ::recv(fd_.get(), buffer, std::min(sizeof buffer, limit - data.size()), MSG_DONTWAIT);
    if (size == 0 && end_ == End::kOpen) end_ = broken_ ? End::kReset : End::kFin;
    if (size < 0 && errno != EAGAIN) end_ = End::kReset;
    if (size <= 0) break;
    data.append(buffer, static_cast<size_t>(size));
  }
  return data;
}

void SocketPeer::Finish() { ::shutdown(fd_.get(), SHUT_WR); }

void SocketPeer::Reset() {
  const linger hard{.l_onoff = 1, .l_linger = 0};
  PCHECK(::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard) == 0);
  fd_.Reset();
}

bool SocketFarEnds::Has(Family family) const {
  if (family != Family::kIpv6) return true;
  const UniqueFd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress address = AnyPort(family);
  return fd && ::bind(fd.get(), address.get(), address.size()) == 0;
}

Connection SocketFarEnds::Connect(const QueueBytes& near, const QueueBytes& far) {
  const UniqueFd listener = ListenAt(AnyPort(Family::kIpv4), 1, near);
  UniqueFd peer = Begin(LocalAddress(listener.get()), far);
  CHECK(WaitFor(listener.get(), POLLIN, 20'000));
  UniqueFd near_fd = AcceptFrom(listener.get());
  CHECK(near_fd);
  CHECK_EQ(SetStreamOptions(near_fd.get()), 0);
  return {near_fd.Release(), std::make_unique<SocketPeer>(std::move(peer))};
}

NearListener SocketFarEnds::ListenNear() {
  UniqueFd fd = ListenAt(AnyPort(Family::kIpv4), 1024);
  const SocketAddress address = LocalAddress(fd.get());
  return {fd.Release(), address};
}

std::unique_ptr<Peer> SocketFarEnds::Dial(const SocketAddress& near_listener) {
  UniqueFd fd = Begin(near_listener);
  CHECK(WaitFor(fd.get(), POLLOUT, 20'000));
  return std::make_unique<SocketPeer>(std::move(fd));
}

std::unique_ptr<PeerListener> SocketFarEnds::ListenFar(Family family) {
  return std::make_unique<SocketPeerListener>(AnyPort(family));
}

// Bound, so that nobody else gets it, but not listening.
SocketAddress SocketFarEnds::RefusedAddress() {
  UniqueFd fd = NewSocket(AF_INET);
  const SocketAddress address = AnyPort(Family::kIpv4);
  PCHECK(::bind(fd.get(), address.get(), address.size()) == 0);
  silent_.push_back(std::move(fd));
  return LocalAddress(silent_.back().get());
}

// With its backlog full, Linux drops every further SYN.
SocketAddress SocketFarEnds::SilentAddress() {
  UniqueFd listener = ListenAt(AnyPort(Family::kIpv4), 0);
  const SocketAddress address = LocalAddress(listener.get());
  silent_.push_back(std::move(listener));
  constexpr int kEnough = 64;
  for (int i = 0; i < kEnough; ++i) {
    silent_.push_back(Begin(address));
    if (!WaitFor(silent_.back().get(), POLLOUT, 20)) return address;
  }
  LOG(FATAL) << "a backlog of 0 took " << kEnough << " connections";
}

std::unique_ptr<FarEnds::FdShortage> SocketFarEnds::TakeAllFds() {
  return std::make_unique<SocketFdShortage>();
}

}  // namespace l4lb

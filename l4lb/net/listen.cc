// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/listen.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "l4lb/net/errno_text.h"
#include "l4lb/net/port_holder.h"
#include "l4lb/net/socket_file.h"

namespace l4lb {
namespace {

bool IsTcp(const SocketAddress& address) {
  return address.family() == AF_INET || address.family() == AF_INET6;
}

// 0 or an errno.
int SetOption(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof(value)) == 0 ? 0 : errno;
}

// What follows "cannot listen on ADDRESS: ".
std::string ListenAdvice(const SocketAddress& address, int error) {
  std::string text = ErrnoText(error);
  if (error == EADDRINUSE && address.family() == AF_UNIX && !HasSocketFile(address)) {
    absl::StrAppend(&text, " by a file that is not a socket");
  } else if (error == EADDRINUSE) {
    const std::string holder = PortHolder(address);
    if (!holder.empty()) absl::StrAppend(&text, " by ", holder);
  } else if (error == EACCES && IsTcp(address)) {
    absl::StrAppend(&text,
                    ": ports below 1024 need CAP_NET_BIND_SERVICE "
                    "(setcap cap_net_bind_service+ep l4lb)");
  } else if (error == EADDRNOTAVAIL) {
    absl::StrAppend(&text, ": no interface of this machine has it");
  } else if (error == ENOENT && address.family() == AF_UNIX) {
    absl::StrAppend(&text, ": the directory of a UNIX socket must exist");
  }
  return text;
}

absl::Status ListenError(const SocketAddress& address, int error) {
  return absl::Status(
      error == EADDRINUSE ? absl::StatusCode::kAlreadyExists : absl::ErrnoToStatusCode(error),
      absl::StrCat("cannot listen on ", address.ToString(), ": ", ListenAdvice(address, error)));
}

// Options that must be set before bind(), or that accepted sockets inherit.  0 or an errno.
int Prepare(int fd, const SocketAddress& address, const ListenOptions& options) {
  if (!IsTcp(address)) return 0;
  if (int error = SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1)) return error;
  if (address.family() == AF_INET6) {
    const int v6_only = options.dual_stack ? 0 : 1;
    if (int error = SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, v6_only)) return error;
  }
  if (int error = SetStreamOptions(fd)) return error;
  return SetKeepalive(fd, options.keepalive);
}

// 0 or an errno.
int Bind(int fd, const SocketAddress& address) {
  if (bind(fd, address.get(), address.size()) == 0) return 0;
  const int error = errno;
  if (error != EADDRINUSE || !RemoveStaleSocketFile(address)) return error;
  return bind(fd, address.get(), address.size()) == 0 ? 0 : errno;
}

enum class Share { kAlone, kWithOthers };

// An errno in place of the socket.
int Open(const SocketAddress& address, const ListenOptions& options, Share share, UniqueFd* out) {
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  if (int error = Prepare(fd.get(), address, options)) return error;
  if (share == Share::kWithOthers) {
    if (int error = SetOption(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1)) return error;
  }
  if (int error = Bind(fd.get(), address)) return error;
  if (listen(fd.get(), options.backlog) != 0) return errno;
  *out = std::move(fd);
  return 0;
}

struct PortRange {
  int first = 32768;
  int last = 60999;
};

PortRange ReadEphemeralRange() {
  PortRange range;
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  PortRange read;
  if (file >> read.first >> read.last) range = read;
  return range;
}

// Empty when `ask` fails.
SocketAddress AddressBy(int (*ask)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (ask(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return SocketAddress(reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace

absl::StatusOr<UniqueFd> Listen(const SocketAddress& address, const ListenOptions& options) {
  UniqueFd fd;
  int error = Open(address, options, Share::kAlone, &fd);
  // `:port` means all addresses, and a kernel without IPv6 has only the others.
  if (error == EAFNOSUPPORT && address.family() == AF_INET6 && address.is_any() &&
      options.dual_stack) {
    sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_port = htons(address.port());
    error = Open(SocketAddress(reinterpret_cast<const sockaddr*>(&any), sizeof(any)), options,
                 Share::kAlone, &fd);
  }
  if (error != 0) return ListenError(address, error);
  return fd;
}

absl::StatusOr<std::vector<UniqueFd>> ListenOnEach(const SocketAddress& address,
                                                   const ListenOptions& options, int count) {
  absl::StatusOr<UniqueFd> first = Listen(address, options);
  if (!first.ok()) return first.status();
  std::vector<UniqueFd> sockets;
  sockets.push_back(*std::move(first));
  if (count == 1 || address.family() == AF_UNIX) return sockets;
  // Only now, and not before bind(): so the address is never without a socket of ours, nor open to
  // a second process that starts at the same moment.  Linux looks at the option when the others
  // join, and makes the group then.
  if (int error = SetOption(sockets[0].get(), SOL_SOCKET, SO_REUSEPORT, 1)) {
    return ListenError(address, error);
  }
  const SocketAddress real = LocalAddress(sockets[0].get());
  while (sockets.size() < static_cast<size_t>(count)) {
    UniqueFd fd;
    if (int error = Open(real, options, Share::kWithOthers, &fd)) return ListenError(real, error);
    sockets.push_back(std::move(fd));
  }
  return sockets;
}

SocketAddress LocalAddress(int fd) { return AddressBy(getsockname, fd); }

SocketAddress PeerAddress(int fd) { return AddressBy(getpeername, fd); }

int SetStreamOptions(int fd) {
  if (int error = SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1)) return error;
  // Urgent data would otherwise leave the stream.
  return SetOption(fd, SOL_SOCKET, SO_OOBINLINE, 1);
}

void TuneListening(int fd, const ListenOptions& options) {
  listen(fd, options.backlog);  // Linux takes the new backlog over.
  if (LocalAddress(fd).family() != AF_UNIX) SetKeepalive(fd, options.keepalive);
}

int SetKeepalive(int fd, const KeepaliveSeconds& keepalive) {
  if (int error = SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, keepalive.idle_s > 0 ? 1 : 0)) {
    return error;
  }
  if (keepalive.idle_s <= 0) return 0;
  if (int error = SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive.idle_s)) return error;
  if (keepalive.interval_s > 0) {
    if (int error = SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive.interval_s)) return error;
  }
  return keepalive.count > 0 ? SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive.count) : 0;
}

bool InEphemeralRange(uint16_t port) {
  static const PortRange range = ReadEphemeralRange();
  return port >= range.first && port <= range.last;
}

bool IsSelfConnected(int fd) {
  const SocketAddress peer = PeerAddress(fd);
  return IsTcp(peer) && peer == LocalAddress(fd);
}

int64_t RaiseOpenFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const rlimit raised = {limit.rlim_max, limit.rlim_max};
  if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace l4lb

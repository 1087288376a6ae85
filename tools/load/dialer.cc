// SPDX-License-Identifier: Apache-2.0
#include "tools/load/dialer.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "l4lb/net/bind_source.h"

namespace l4lb::load {
namespace {

constexpr uint32_t kHostsPerNet = 250;

int SetOption(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof(value)) == 0 ? 0 : errno;
}

}  // namespace

std::vector<SocketAddress> LoopbackAddresses(int count) {
  std::vector<SocketAddress> addresses;
  for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + i / kHostsPerNet * 256 + i % kHostsPerNet);
    addresses.emplace_back(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  return addresses;
}

int Dialer::Dial(UniqueFd* out) {
  const SocketAddress& target = targets_[dialed_ % targets_.size()];
  UniqueFd fd(socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  if (target.family() != AF_UNIX) {
    if (int error = SetOption(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1)) return error;
  }
  if (receive_buffer_ > 0) {
    if (int error = SetOption(fd.get(), SOL_SOCKET, SO_RCVBUF, receive_buffer_)) return error;
  }
  if (!sources_.empty()) {
    // Not in step with the targets, or each target would see some of the sources only.
    const uint64_t round = dialed_ / targets_.size();
    if (int error = BindSource(fd.get(), sources_[round % sources_.size()])) return error;
  }
  ++dialed_;
  if (connect(fd.get(), target.get(), target.size()) != 0 && errno != EINPROGRESS) return errno;
  *out = std::move(fd);
  return 0;
}

}  // namespace l4lb::load

// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/dial.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "l4lb/net/bind_source.h"

namespace l4lb::kit {
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

int Dial(const SocketAddress& target, const SocketAddress* source, UniqueFd* out,
         int receive_buffer_bytes) {
  UniqueFd fd(socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  if (target.family() != AF_UNIX) {
    if (int error = SetOption(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1)) return error;
  }
  if (receive_buffer_bytes > 0) {
    if (int error = SetOption(fd.get(), SOL_SOCKET, SO_RCVBUF, receive_buffer_bytes)) return error;
  }
  if (source != nullptr) {
    if (int error = BindSource(fd.get(), *source)) return error;
  }
  if (connect(fd.get(), target.get(), target.size()) != 0 && errno != EINPROGRESS) return errno;
  *out = std::move(fd);
  return 0;
}

}  // namespace l4lb::kit

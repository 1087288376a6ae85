// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/bind_source.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace l4lb {

int BindSource(int fd, const SocketAddress& source) {
  const int on = 1;
  if (::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) != 0) return errno;
  return ::bind(fd, source.get(), source.size()) == 0 ? 0 : errno;
}

}  // namespace l4lb

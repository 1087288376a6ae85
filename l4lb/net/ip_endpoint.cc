// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/ip_endpoint.h"

#include <cstring>

namespace l4lb {

IpEndpoint::IpEndpoint(const SocketAddress& address) : port(address.port()) {
  if (address.family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address.get());
    std::memcpy(ip.data(), &v6->sin6_addr, ip.size());
    empty = false;
  } else if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.get());
    ip[10] = ip[11] = 0xff;
    std::memcpy(ip.data() + 12, &v4->sin_addr, 4);
    empty = false;
  }
}

std::string IpEndpoint::ToString() const {
  if (empty) return "unix";
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  std::memcpy(&v6.sin6_addr, ip.data(), ip.size());
  return SocketAddress(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6)).ToString();
}

}  // namespace l4lb

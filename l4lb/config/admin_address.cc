// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/admin_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <string>

namespace l4lb {

bool IsLoopback(const SocketAddress& address) {
  if (address.family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address.get());
    return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  if (address.family() != AF_INET6) return false;
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&v6) ||
         (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == IN_LOOPBACKNET);
}

bool IsReachable(std::string_view admin_bind) {
  SocketAddress address;
  std::string ignored;
  if (admin_bind == kAdminAuto || admin_bind == kAdminOff) return false;
  if (!SocketAddress::Parse(admin_bind, &address, &ignored)) return false;
  return address.family() != AF_UNIX && !IsLoopback(address);
}

bool ParseFileMode(std::string_view text, mode_t* mode) {
  if (text.size() == 4 && text[0] == '0') text.remove_prefix(1);
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  if (text.size() != 3 || !std::all_of(text.begin(), text.end(), octal)) return false;
  *mode = 0;
  for (const char digit : text) *mode = *mode * 8 + static_cast<mode_t>(digit - '0');
  return true;
}

}  // namespace l4lb

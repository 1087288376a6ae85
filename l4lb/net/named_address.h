// SPDX-License-Identifier: Apache-2.0
//
// An address as people write it where a host name may stand.  Used by config/ to check it and by
// Resolve() to look it up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "l4lb/net/socket_address.h"

namespace l4lb {

struct NamedAddress {
  /// What SocketAddress::Parse() takes, or `db1.example:5432`: labels of letters, digits and inner
  /// hyphens (RFC 1123), 63 bytes each and 253 together; a dot at the end is allowed.  What ends in
  /// a number is no name but a wrong numeric address, since resolvers would read `10.1` or
  /// `0x7f000001` as one.  Returns false and puts one sentence into `*error`.  Looks nothing up.
  static bool Parse(std::string_view text, NamedAddress* out, std::string* error);

  uint16_t port() const { return host.empty() ? address.port() : host_port; }

  SocketAddress address;  // Empty when there is a host name.
  std::string host;       // Empty when `address` says all.
  uint16_t host_port = 0;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The address of a client in 20 bytes: what a session keeps of it for the flow key and the log.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "l4lb/net/socket_address.h"

namespace l4lb {

struct IpEndpoint {
  IpEndpoint() = default;
  /// IPv4 is kept IPv4-mapped; anything but IPv4 and IPv6 becomes the empty endpoint.
  explicit IpEndpoint(const SocketAddress& address);

  /// As SocketAddress::ToString(); "unix" for the empty endpoint.
  std::string ToString() const;

  std::array<uint8_t, 16> ip = {};  // IPv6, or IPv4-mapped
  uint16_t port = 0;
  bool empty = true;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Addresses from literals, for tests.
#pragma once

#include <string>

#include "glog/logging.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

inline SocketAddress Parsed(const std::string& text) {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(text, &address, &error)) << text << ": " << error;
  return address;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Which process stands in the way of a listener.  For the error message of Listen() only: reads all
// of /proc and is slow.
#pragma once

#include <string>

#include "l4lb/net/socket_address.h"

namespace l4lb {

/// "nginx (pid 123)", "this process", or empty when /proc does not show it (a process of another
/// user, or not a TCP address).
std::string PortHolder(const SocketAddress& address);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Our own address toward a backend.  Called by engines before they connect.
#pragma once

#include "l4lb/net/socket_address.h"

namespace l4lb {

/// Binds the address with port 0 in such a way that the port is chosen by connect(): one port then
/// serves a connection to every backend, instead of one in all (IP_BIND_ADDRESS_NO_PORT, ip(7)).
/// 0 or an errno.
int BindSource(int fd, const SocketAddress& source);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Begins connections, from as many loopback addresses as wanted.
#pragma once

#include <vector>

#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb::kit {

/// 127.0.0.1 and the next ones, never ending in .0 or .255.  `count` at most 60000.
std::vector<SocketAddress> LoopbackAddresses(int count);

/// Begins to connect to `target` from `source`, or, without one, from where the kernel picks;
/// non-blocking, TCP_NODELAY.  0 (the connection is under way or there) or an errno.
/// `receive_buffer_bytes` 0: the kernel's choice.
int Dial(const SocketAddress& target, const SocketAddress* source, UniqueFd* out,
         int receive_buffer_bytes = 0);

}  // namespace l4lb::kit

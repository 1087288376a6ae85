// SPDX-License-Identifier: Apache-2.0
//
// Opens connections to the target, from as many addresses as wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb::load {

/// 127.0.0.1 and the next ones, never ending in .0 or .255.  `count` at most 60000.
std::vector<SocketAddress> LoopbackAddresses(int count);

class Dialer {
 public:
  /// Several targets are taken in turn, and so are the sources; without sources the kernel picks.
  Dialer(std::vector<SocketAddress> targets, std::vector<SocketAddress> sources)
      : targets_(std::move(targets)), sources_(std::move(sources)) {}

  /// Receive buffers of the sockets from here on; 0: the kernel's choice.
  void set_receive_buffer(int bytes) { receive_buffer_ = bytes; }

  /// Begins to connect; non-blocking, TCP_NODELAY.  0 (the connection is under way or there) or an
  /// errno.
  int Dial(UniqueFd* out);

 private:
  const std::vector<SocketAddress> targets_;
  const std::vector<SocketAddress> sources_;
  uint64_t dialed_ = 0;
  int receive_buffer_ = 0;
};

}  // namespace l4lb::load

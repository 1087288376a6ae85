// SPDX-License-Identifier: Apache-2.0
//
// Which target a connection goes to, and from which address.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb::load {

class Dialer {
 public:
  /// Several targets are taken in turn, and so are the sources; without sources the kernel picks.
  Dialer(std::vector<SocketAddress> targets, std::vector<SocketAddress> sources)
      : targets_(std::move(targets)), sources_(std::move(sources)) {}

  /// Receive buffers of the sockets from here on; 0: the kernel's choice.
  void set_receive_buffer(int bytes) { receive_buffer_ = bytes; }

  /// Begins to connect, as kit::Dial() does.
  int Dial(UniqueFd* out);

 private:
  const std::vector<SocketAddress> targets_;
  const std::vector<SocketAddress> sources_;
  uint64_t dialed_ = 0;
  int receive_buffer_ = 0;
};

}  // namespace l4lb::load

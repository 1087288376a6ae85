// SPDX-License-Identifier: Apache-2.0
//
// `l4lb-load serve`: a backend that costs so little that it is not what is measured.  Every thread
// has a listening socket of its own on each address, between which the kernel chooses.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"
#include "tools/load/options.h"
#include "tools/load/pattern.h"

namespace l4lb::load {

class ServerThread;

class Server {
 public:
  /// Listens, and serves until it is destroyed.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServeOptions& options);
  ~Server();

  /// With their real ports, in the order of the options.
  const std::vector<SocketAddress>& addresses() const { return addresses_; }

 private:
  Server();

  const Pattern pattern_;
  std::vector<SocketAddress> addresses_;
  std::atomic<bool> stop_ = false;
  UniqueFd stop_event_;  // Wakes all threads.
  std::vector<std::unique_ptr<ServerThread>> serving_;
  std::vector<std::thread> threads_;
};

}  // namespace l4lb::load

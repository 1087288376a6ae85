// SPDX-License-Identifier: Apache-2.0
//
// What stands between clients and backends while one mode runs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "l4lb/net/socket_address.h"

namespace l4lb::skew {

/// A backend; its port listens already.
struct Endpoint {
  std::string name;
  SocketAddress address;
};

/// For one thread.  The destructor stops it.
class Middle {
 public:
  virtual ~Middle() = default;
  /// Where clients connect.  More than one: each client has a connection to each and chooses for
  /// every request.
  virtual std::vector<SocketAddress> targets() const = 0;
  /// Takes a backend of the list that it was started with into use, or out of it.  Sessions with
  /// one that leaves may go on for a second.
  virtual absl::Status Add(int backend) = 0;
  virtual absl::Status Remove(int backend) = 0;
  /// What it is, with its version; empty when there is nothing to say.
  virtual std::string about() const { return ""; }
  /// About ten times a second.
  virtual void Tick() {}
};

}  // namespace l4lb::skew

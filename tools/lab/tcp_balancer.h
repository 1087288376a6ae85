// SPDX-License-Identifier: Apache-2.0
//
// A real balancer: the daemon's Server in this process, made from the text of a configuration.
// Everything here is called on one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/balance/policy.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/server/server.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// Whom health checks ask; the slow-database scene compares them.
enum class Checks : uint8_t { kNone, kBackend, kDatabase, kDatabaseFailOpen };

class TcpBalancer {
 public:
  struct Setup {
    PolicyKind policy = PolicyKind::kLeastConnections;
    Checks checks = Checks::kNone;
    std::string engine = "auto";
  };

  /// The configuration file of such a balancer, as YAML.  Those that join later are not in it.
  static std::string ConfigText(const World& world, const Setup& setup,
                                const std::vector<std::string>& addresses);

  static absl::StatusOr<std::unique_ptr<TcpBalancer>> Start(const std::string& config_text);

  SocketAddress address() const;
  /// "epoll"
  std::string engine() { return server_->Status().engine; }
  /// A further backend, with the limit that the others have.
  absl::Status Add(const World& world, int backend, const std::string& address);
  /// To be called ten times a second.
  void Tick();

 private:
  explicit TcpBalancer(std::unique_ptr<Server> server) : server_(std::move(server)) {}

  std::unique_ptr<Server> server_;
};

}  // namespace l4lb::lab

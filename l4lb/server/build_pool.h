// SPDX-License-Identifier: Apache-2.0
//
// From a pool of the configuration to the parts of what workers use.  Called by ManagedPool.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/backend/pool.h"
#include "l4lb/config/config.h"
#include "l4lb/observe/backend_state.h"

namespace l4lb {

/// One backend as the configuration has it, with its address looked up.
struct ConfiguredBackend {
  std::string name;  // Unique in the pool.
  SocketAddress address;
  uint32_t weight = 1;
  int64_t max_connections = 0;  // 0: no limit.
  BackendState state = BackendState::kReady;
  bool backup = false;

  friend bool operator==(const ConfiguredBackend&, const ConfiguredBackend&) = default;
};

/// Looks host names up, and blocks as long as that takes.  A name with several addresses becomes
/// several backends, `name@address`, each with the weight and the limit of the name.  The error
/// says which backend has no address.
absl::StatusOr<std::vector<ConfiguredBackend>> ConfiguredBackends(const Config::Pool& config);

/// All settings but the pool itself, its members and its table.
void FillSettings(const Config::Pool& config, PoolSnapshot& snapshot);

/// Gives `snapshot`, which has its settings, the table of the policies maglev and ring over
/// `nodes`. Without a node there is no table, and nobody to pick: the policy is then another one.
absl::Status GiveLookup(const Config::Pool& config, const std::vector<LookupNode>& nodes,
                        PoolSnapshot& snapshot);

/// At once for the policies maglev and ring: there a share is what the table says.
SlowStart SlowStartOf(const Config::Pool& config);
PolicyKind PolicyOf(Config::Policy policy);
KeepaliveSeconds KeepaliveOf(const Config::Pool& config);
PoolLimits LimitsOf(const Config::Pool& config);
/// Of a listener and its pool.
ListenOptions ListenOptionsOf(const Config::Listener& listener, const Config::Pool& pool);

}  // namespace l4lb

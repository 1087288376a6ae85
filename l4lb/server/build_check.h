// SPDX-License-Identifier: Apache-2.0
//
// From a pool of the configuration to what its backends are checked by, and ejected by.  Called by
// PoolHealth.
#pragma once

#include "l4lb/backend/ejection.h"
#include "l4lb/config/config.h"
#include "l4lb/health/checker.h"
#include "l4lb/net/socket_address.h"

namespace l4lb {

/// Of a backend at `address`.  `config` is checked, and its type not none.
CheckTarget CheckTargetFor(const Config::HealthCheck& config, const SocketAddress& address);

EjectionRule EjectionRuleOf(const Config::Eject& config);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// From a pool of the configuration to what workers use.  Called by Server.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "l4lb/backend/pool.h"
#include "l4lb/config/config.h"

namespace l4lb {

/// Looks host names up, and blocks as long as that takes.  A name with several addresses becomes
/// several backends, `name@address`, each with the weight and the limit of the name.  The error
/// says which backend has no address.
absl::StatusOr<std::shared_ptr<const PoolSnapshot>> BuildPool(const Config::Pool& config);

PolicyKind PolicyOf(Config::Policy policy);
KeepaliveSeconds KeepaliveOf(const Config::Pool& config);

}  // namespace l4lb

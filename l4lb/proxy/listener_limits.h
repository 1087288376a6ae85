// SPDX-License-Identifier: Apache-2.0
//
// What one listener allows, over all workers.
#pragma once

#include <cstdint>
#include <memory>

#include "l4lb/backend/places.h"
#include "l4lb/proxy/rate.h"
#include "l4lb/proxy/source_table.h"

namespace l4lb {

/// File descriptors that a session holds: the client's and the backend's.
inline constexpr int kFdsOfSession = 2;

struct ListenerLimits {
  // max_connections: above it clients wait in the backlog.  A listener that takes another's place
  // has the same.
  std::shared_ptr<Places> places = std::make_shared<Places>(0);
  SharedRate accept_rate{0};  // Likewise.
  SourceTable sources{0, 0};  // per_source: above it a connection is closed.
};

}  // namespace l4lb

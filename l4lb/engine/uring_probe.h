// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's io_uring can do, found out by trying it on a ring that is not yet in use.
#pragma once

#include "absl/status/status.h"
#include "l4lb/engine/uring_ring.h"

namespace l4lb {

/// OK, or what the engine cannot do without and this kernel lacks.
absl::Status ProbeRing(UringRing& ring);

/// Whether a multishot receive can be told to end after so many bytes (Linux 6.17).
bool HasCappedReceives(UringRing& ring);

}  // namespace l4lb

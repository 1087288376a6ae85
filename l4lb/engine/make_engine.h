// SPDX-License-Identifier: Apache-2.0
//
// Makes the engine that the configuration names.  The only header of engine/ besides the seam that
// other rooms include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "l4lb/engine/engine.h"
#include "l4lb/net/clock.h"

namespace l4lb {

struct EngineOptions {
  size_t buffer_bytes = 16 << 10;
  size_t buffer_count = 4096;    // Bound of what pumps that cannot deliver may hold.
  size_t pipe_count = 1024;      // Bound of the pipe pool; 0 never splices.
  int max_fd = 1 << 20;          // No pipe is made once fd numbers reach this.
  const Clock* clock = nullptr;  // Null: the real one.
};

/// To be called on the worker's thread.
absl::StatusOr<std::unique_ptr<Engine>> MakeEpollEngine(const EngineOptions& options);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Makes the engine that the configuration names.  The only header of engine/ besides the seam that
// other rooms include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/engine/engine.h"
#include "l4lb/net/clock.h"

namespace l4lb {

enum class EngineKind : uint8_t { kEpoll, kUring };

std::string_view Name(EngineKind kind);  // "epoll", "io_uring"

struct EngineOptions {
  size_t buffer_bytes = 16 << 10;
  size_t buffer_count = 4096;      // Bound of what pumps that cannot deliver may hold.
  size_t pipe_count = 1024;        // Bound of the pipe pool; 0 never splices.
  int max_fd = 1 << 20;            // No pipe is made once fd numbers reach this.
  const Clock* clock = nullptr;    // Null: the real one.
  bool uring_basics_only = false;  // Of io_uring, use only what its oldest kernel (6.1) has.
};

/// OK, or what this machine lacks for the io_uring engine, as a sentence for people.  Makes a ring
/// and gives it back, so it costs some system calls: asked once, at start.  Any thread.
absl::Status UringAvailable();

/// All to be called on the worker's thread.
absl::StatusOr<std::unique_ptr<Engine>> MakeEpollEngine(const EngineOptions& options);
absl::StatusOr<std::unique_ptr<Engine>> MakeUringEngine(const EngineOptions& options);
absl::StatusOr<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, const EngineOptions& options);

}  // namespace l4lb

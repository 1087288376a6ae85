// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/make_engine.h"

namespace l4lb {

std::string_view Name(EngineKind kind) { return kind == EngineKind::kUring ? "io_uring" : "epoll"; }

absl::StatusOr<std::unique_ptr<Engine>> MakeEngine(EngineKind kind, const EngineOptions& options) {
  return kind == EngineKind::kUring ? MakeUringEngine(options) : MakeEpollEngine(options);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Which engine the workers get: decided once, at the start.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/config/config.h"
#include "l4lb/engine/make_engine.h"

namespace l4lb {

/// What `auto` takes where the kernel allows both; docs/explanation/engines.md says why.
inline constexpr EngineKind kPreferredEngine = EngineKind::kUring;

struct EngineChoice {
  EngineKind kind = EngineKind::kEpoll;
  std::string why;      // For the banner: "auto", "configured", ...
  std::string warning;  // What is missing for the preferred one; empty: nothing.
};

/// `available` is UringAvailable(); it is asked only when the answer depends on it.  Its words are
/// in the error of `engine: io_uring` and in the warning of `auto` alike.
absl::StatusOr<EngineChoice> ChooseEngine(Config::Engine wanted, EngineKind preferred,
                                          absl::FunctionRef<absl::Status()> available);

/// What `auto` does when a worker did not get its io_uring engine after all, such as for want of
/// locked memory: epoll for all.
EngineChoice EpollInstead(const absl::Status& missing);

}  // namespace l4lb

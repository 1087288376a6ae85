// SPDX-License-Identifier: Apache-2.0
//
// Tests of whole servers, run over every engine.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "l4lb/config/config.h"
#include "l4lb/engine/make_engine.h"

namespace l4lb {

/// Skips the running test, saying why, where the kernel has no io_uring; for SetUp().
inline void NeedEngine(Config::Engine engine) {
  if (engine != Config::Engine::kUring) return;
  const absl::Status available = UringAvailable();
  if (!available.ok()) GTEST_SKIP() << available.message();
}

inline auto EveryEngine() {
  return ::testing::Values(Config::Engine::kEpoll, Config::Engine::kUring);
}

inline std::string EngineName(Config::Engine engine) {
  return engine == Config::Engine::kUring ? "io_uring" : "epoll";
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Checks backends, on a thread with an engine of its own: a busy worker never makes a check late,
// and checks never make a worker late.  server/ owns it and tells it what to check.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/health/check_plan.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/observe/health.h"

namespace l4lb {

/// What is checked: one backend of one pool.
struct CheckTarget {
  SocketAddress address;  // That is connected to.
  std::shared_ptr<const CheckPlan> plan;
  Health health = Health::kUnknown;  // What is known of it already: kUnknown, kUp or kDown.
  int64_t first_in_ms = 0;           // Until its first check.
};

/// What a check has found.
struct CheckNews {
  uint64_t target = 0;
  Health health = Health::kUnknown;  // From now on.
  bool changed = false;              // It was another before.
  bool passed = false;               // The check that told.
  int64_t begun_ms = 0;              // When that check began, of Clock::NowMs().
  std::string text;                  // For people: "3 checks failed, the last: connection refused".
};

struct CheckerOptions {
  EngineKind engine = EngineKind::kEpoll;
  int most_in_flight = 256;  // Checks at a time: so many descriptors.
  uint64_t seed = 1;         // Of the jitter.
  /// On the checker's thread: of every change of health, and of every check that passed at a target
  /// whose good checks were asked for (WantGoodChecks).
  std::function<void(const CheckNews& news)> on_news;
};

class Checker {
 public:
  /// The error says what the engine lacks.
  static absl::StatusOr<std::unique_ptr<Checker>> Start(CheckerOptions options);
  virtual ~Checker() = default;  // Ends its thread; checks in flight are given up.

  // Any thread; in effect within a turn of the checker's.

  /// `id` is not in use.
  virtual void Add(uint64_t id, CheckTarget target) = 0;
  virtual void Remove(uint64_t id) = 0;
  virtual void WantGoodChecks(uint64_t id, bool wanted) = 0;
  virtual void SetMostInFlight(int most) = 0;

  /// Of all targets, as of now.  One that was only just added may be missing.
  virtual absl::flat_hash_map<uint64_t, CheckStatus> Status() const = 0;
};

}  // namespace l4lb

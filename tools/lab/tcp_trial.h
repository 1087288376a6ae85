// SPDX-License-Identifier: Apache-2.0
//
// One run over real TCP: clients, balancers and backends, each with threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "l4lb/observe/histogram.h"
#include "tools/lab/tcp_balancer.h"
#include "tools/lab/tcp_clients.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

struct Trial {
  World world;
  TcpBalancer::Setup setup;
  uint64_t seed = 1;
};

struct TrialOutcome {
  Seen seen;
  Histogram timer_error_ns;  // How much later than planned backends answered.
  std::string engine;

  /// The machine was too busy with other things to do its parts in time: it says little.
  bool disturbed() const;
};

/// When the database is slow, as parts of the time that is measured (with checks only).
constexpr double kDatabaseSlowFrom = 0.25;
constexpr double kDatabaseSlowUntil = 0.625;

/// `go_on` is asked ten times a second: false ends the run, which is an error then.
absl::StatusOr<TrialOutcome> RunTrial(const Trial& trial, const std::function<bool()>& go_on);

}  // namespace l4lb::lab

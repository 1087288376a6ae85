// SPDX-License-Identifier: Apache-2.0
//
// All runs of a scene over real TCP, and the simulator's word on the very same requests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/options.h"
#include "tools/lab/survey.h"
#include "tools/lab/tcp_trial.h"

namespace l4lb::lab {

/// One way of balancing, under every seed.
struct TcpRow {
  std::string group;  // What the rows of a table have in common: "queue per backend".
  std::string label;
  World world;
  TcpBalancer::Setup setup;
  std::vector<TrialOutcome> runs;  // By seed.
  std::vector<Outcome> simulated;  // The same; empty where the simulator cannot.

  /// Of all runs.
  Spread QuantileMs(double share) const;
  Spread SlowShare() const;
  /// In percent, of the requests that are measured.
  Spread Failed() const;
  /// Of the parts `from` to `until` of the time (see TcpClients::kParts).
  Spread PartP99Ms(int from, int until) const;
  /// Likewise: what the backends that joined got, in percent.
  Spread PartJoinedShare(int from, int until) const;
  /// Of at least one run, however often it was repeated.
  bool disturbed() const;
  /// In more than half of the runs some backend was sent more than it can do.
  bool growing() const;
};

struct TcpSurvey {
  std::vector<TcpRow> rows;
  std::string engine;
  Histogram timer_error_ns;  // Of all runs.
  Histogram late_ns;         // Likewise.
};

/// `progress`: what is being run, run `i` of `count`; false ends it all, which is an error then.
absl::StatusOr<TcpSurvey> RunScene(
    const RunOptions& options,
    const std::function<bool(const std::string& what, int i, int count)>& progress);

}  // namespace l4lb::lab

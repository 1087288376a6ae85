// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_survey.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/lab/simulation.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kTooMuch = 1.05;  // As in Recorder.
constexpr int kTries = 3;

Spread SpreadOver(const std::vector<TrialOutcome>& runs,
                  const std::function<double(const Seen& seen)>& value) {
  std::vector<double> values;
  for (const TrialOutcome& run : runs) values.push_back(value(run.seen));
  return SpreadOf(values);
}

double Ms(uint64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

double Percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

// The answered requests of some backends, in percent of all that were.
double ShareOf(const Seen::Part& part, int from, int until) {
  const auto begin = part.requests.begin();
  const auto all = std::accumulate(begin, part.requests.end(), int64_t{0});
  return Percent(static_cast<double>(std::accumulate(begin + from, begin + until, int64_t{0})),
                 static_cast<double>(all));
}

Seen::Part Parts(const Seen& seen, int from, int until) {
  return Seen{.parts = {seen.parts.begin() + from, seen.parts.begin() + until}}.Whole();
}

bool IsOverrun(const World& world, const Seen& seen) {
  // Full backends are passed over.
  if (world.limit > 0 && world.queue_per == QueuePer::kPool) return false;
  const Seen::Part whole = seen.Whole();
  for (int i = 0; i < world.backends; ++i) {
    const auto requests = static_cast<double>(whole.requests[static_cast<size_t>(i)]);
    if (requests * world.mean_ms_of(i) / static_cast<double>(world.duration_ms) > kTooMuch) {
      return true;
    }
  }
  return false;
}

// --- which rows a scene has

std::vector<TcpRow> RowsOfPolicies(const RunOptions& options) {
  std::vector<TcpRow> rows;
  for (const QueuePer queue_per : options.queue_pers) {
    for (const PolicyKind policy : options.policies) {
      TcpRow row = {.label = std::string(Name(policy)),
                    .world = options.world,
                    .setup = {.policy = policy, .engine = options.engine}};
      row.world.queue_per = queue_per;
      if (row.world.limit > 0) row.group = absl::StrCat("queue per ", NameOf(queue_per));
      rows.push_back(std::move(row));
    }
    if (options.world.limit == 0) break;  // Nobody waits.
  }
  return rows;
}

std::vector<TcpRow> RowsOfHerd(const RunOptions& options) {
  std::vector<TcpRow> rows;
  for (const int balancers : {1, options.world.balancers}) {
    for (const PolicyKind policy : options.policies) {
      TcpRow row = {.group = absl::StrCat(balancers, balancers == 1 ? " balancer" : " balancers"),
                    .label = std::string(Name(policy)),
                    .world = options.world,
                    .setup = {.policy = policy, .engine = options.engine}};
      row.world.balancers = balancers;
      row.world.queue_per = options.queue_pers.front();
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<TcpRow> RowsOfChecks(const RunOptions& options) {
  struct Variant {
    const char* label;
    Checks checks;
  };
  constexpr Variant kVariants[] = {{"no checks", Checks::kNone},
                                   {"ask the backend", Checks::kBackend},
                                   {"ask the database", Checks::kDatabase},
                                   {"the same, fail_open", Checks::kDatabaseFailOpen}};
  World world = options.world;
  world.queue_per = options.queue_pers.front();
  std::vector<TcpRow> rows;
  for (const Variant& variant : kVariants) {
    rows.push_back({.group = "checks",
                    .label = variant.label,
                    .world = world,
                    .setup = {.policy = options.policies.front(),
                              .checks = variant.checks,
                              .engine = options.engine}});
  }
  return rows;
}

std::vector<TcpRow> RowsOf(const RunOptions& options) {
  if (options.scene == "herd") return RowsOfHerd(options);
  if (options.scene == "slow-database") return RowsOfChecks(options);
  return RowsOfPolicies(options);
}

// What was disturbed is run again, a few times.
absl::StatusOr<TrialOutcome> RunUndisturbed(const Trial& trial,
                                            const std::function<bool()>& go_on) {
  auto outcome = RunTrial(trial, go_on);
  for (int tries = 1; tries < kTries && outcome.ok() && outcome->disturbed(); ++tries) {
    outcome = RunTrial(trial, go_on);
  }
  return outcome;
}

}  // namespace

Spread TcpRow::QuantileMs(double share) const {
  return SpreadOver(runs,
                    [&](const Seen& seen) { return Ms(seen.Whole().latency_ns.Quantile(share)); });
}

Spread TcpRow::SlowShare() const {
  return SpreadOver(runs, [&](const Seen& seen) {
    return ShareOf(seen.Whole(), world.backends - world.slow, world.backends);
  });
}

Spread TcpRow::Failed() const {
  return SpreadOver(runs, [](const Seen& seen) {
    const Seen::Part whole = seen.Whole();
    const auto failed = static_cast<double>(whole.failed);
    return Percent(failed, failed + static_cast<double>(whole.latency_ns.count()));
  });
}

Spread TcpRow::PartP99Ms(int from, int until) const {
  return SpreadOver(runs, [&](const Seen& seen) {
    return Ms(Parts(seen, from, until).latency_ns.Quantile(0.99));
  });
}

Spread TcpRow::PartJoinedShare(int from, int until) const {
  return SpreadOver(runs, [&](const Seen& seen) {
    return ShareOf(Parts(seen, from, until), world.backends, world.all_backends());
  });
}

bool TcpRow::growing() const {
  const auto overrun = std::count_if(runs.begin(), runs.end(), [this](const TrialOutcome& run) {
    return IsOverrun(world, run.seen);
  });
  return 2 * static_cast<size_t>(overrun) > runs.size();
}

bool TcpRow::disturbed() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const TrialOutcome& run) { return run.disturbed(); });
}

absl::StatusOr<TcpSurvey> RunScene(
    const RunOptions& options,
    const std::function<bool(const std::string& what, int i, int count)>& progress) {
  TcpSurvey survey = {.rows = RowsOf(options)};
  const int count = static_cast<int>(survey.rows.size()) * options.seeds;
  int done = 0;
  for (TcpRow& row : survey.rows) {
    const std::string what = absl::StrCat(row.group, row.group.empty() ? "" : ", ", row.label);
    for (int i = 0; i < options.seeds; ++i) {
      const uint64_t seed = options.first_seed + static_cast<uint64_t>(i);
      auto outcome = RunUndisturbed({.world = row.world, .setup = row.setup, .seed = seed},
                                    [&] { return progress(what, done + 1, count); });
      if (!outcome.ok()) return outcome.status();
      ++done;
      survey.engine = outcome->engine;
      survey.timer_error_ns.Merge(outcome->timer_error_ns);
      survey.late_ns.Merge(outcome->seen.late_ns);
      row.runs.push_back(*std::move(outcome));
      if (row.setup.checks != Checks::kNone) continue;
      row.simulated.push_back(Simulation(row.world, row.setup.policy, seed).Run());
    }
  }
  return survey;
}

}  // namespace l4lb::lab

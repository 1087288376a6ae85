// SPDX-License-Identifier: Apache-2.0
//
// Runs as they might have been, for tests of what is made of them.
#pragma once

#include <string>
#include <vector>

#include "tools/skew/figures.h"
#include "tools/skew/outcome.h"

namespace l4lb::skew {

/// Two backends; a third one after two of six seconds.
inline Options SampleOptions() {
  Options options;
  options.backends = 2;
  options.add_at_ms = 2000;
  options.duration_ms = 6000;
  options.clients = 2;
  options.seed = 7;
  options.modes = {Mode::kLeastConnections};
  options.command = "l4lb-skew --seed=7 --html=</script>.html";
  options.ascii = true;
  return options;
}

/// Every 50 ms the backends answer these numbers of requests from `from_ms` on until `to_ms`.
inline void Answer(ModeRun* run, int64_t from_ms, int64_t to_ms,
                   const std::vector<uint32_t>& counts) {
  run->observed.requests.resize(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    run->observed.requests[i].resize(static_cast<size_t>(to_ms / 50));
    for (auto step = static_cast<size_t>(from_ms / 50); step < static_cast<size_t>(to_ms / 50);
         ++step) {
      run->observed.requests[i][step] = counts[i];
    }
  }
}

/// The third backend gets nothing until `fair_ms`, and its share from there on.
inline ModeRun SampleRun(const Options& options, Mode mode, int64_t fair_ms) {
  ModeRun run = {
      .mode = mode, .schedule = Schedule(options), .observed = {}, .tally = {}, .about = "epoll"};
  Answer(&run, 0, 6000, {3, 3, 0});
  if (fair_ms < 6000) Answer(&run, fair_ms, 6000, {2, 2, 2});
  run.observed.lanes = {
      {.backend = 0, .from_ns = 30'000'000, .to_ns = 6'000'000'000, .requests = {3, 3, 3}},
      {.backend = 1, .from_ns = 870'000'000, .to_ns = 2'000'000'000, .requests = {1, 2, 3}}};
  for (auto& latency_ns : run.tally.latency_ns) latency_ns.Record(2'000'000);
  run.tally.sent = run.tally.answered = 720;
  return run;
}

inline Outcome SampleOutcome(const Options& options) {
  Outcome outcome = {.runs = {}, .figures = {}, .engine = "epoll", .layer7 = ""};
  outcome.runs.push_back(SampleRun(options, Mode::kLeastConnections, 6000));
  outcome.figures.push_back(FiguresOf(options, outcome.runs.back()));
  return outcome;
}

}  // namespace l4lb::skew

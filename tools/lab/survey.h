// SPDX-License-Identifier: Apache-2.0
//
// Many runs of a World: every policy under every seed, on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "l4lb/balance/policy.h"
#include "tools/lab/outcome.h"
#include "tools/lab/scenes.h"
#include "tools/lab/theory.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// One policy, all seeds.
struct Row {
  PolicyKind policy = PolicyKind::kRoundRobin;
  std::vector<Outcome> runs;  // By seed.
  std::optional<Expected> expected;
};

/// Between the runs: how far seeds lie apart.
struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// The quantile `share` (0 to 1) of the requests of a run.
double QuantileMs(const Outcome& outcome, double share);
/// In percent: of the slow backends together, or, when none is slow, of those that joined.
double MarkedShare(const World& world, const Outcome& outcome);
/// What Figure means, of a run.
double ValueOf(Figure figure, const World& world, const Outcome& outcome);

Spread SpreadOf(std::vector<double> values);
/// The nearest-rank quantile of the runs' values.
double QuantileOf(std::vector<double> values, double share);
/// In more than half of the runs.
bool IsGrowing(const Row& row);

struct Effort {
  int seeds = 5;
  uint64_t first_seed = 1;
  int threads = 0;  // 0: as many as the machine has cores.
  int samples = 0;  // Moments of each run that are kept.
};

/// `progress` is told how many runs are done, of how many, now and then, on any thread.
std::vector<Row> RunAll(const World& world, const std::vector<PolicyKind>& policies,
                        const Effort& effort, const std::function<void(int, int)>& progress);

}  // namespace l4lb::lab

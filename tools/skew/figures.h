// SPDX-License-Identifier: Apache-2.0
//
// What a run comes to: shares, how long it took until they were fair, latencies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/skew/options.h"
#include "tools/skew/run_mode.h"

namespace l4lb::skew {

/// One part of a mode.
struct PartFigures {
  double from_s = 0;
  double to_s = 0;
  std::vector<uint64_t> requests;  ///< Answered, by backend.
  std::vector<double> share;       ///< Of them; 0 when there are none.
  double p50_ms = 0;
  double p99_ms = 0;
  double jain = 0;  ///< Over the backends that were in use in this part.
};

struct ModeFigures {
  Mode mode;
  PartFigures before;
  std::optional<PartFigures> during;       ///< From when something is added, the first half.
  std::optional<PartFigures> after;        ///< The other half.
  std::optional<PartFigures> since_added;  ///< Both.
  std::optional<PartFigures> left;         ///< From when something is removed.
  /// From when something is added until each of the added has 90 % of its fair share.  Nothing:
  /// never, or nothing was added.
  std::optional<double> seconds_to_fair;
  uint64_t connections_cut = 0;
  uint64_t errors = 0;
  uint64_t retries = 0;
  uint64_t sent = 0;
  uint64_t answered = 0;
  double p50_ms = 0;  ///< Of all but the warm-up, as the next two.
  double p99_ms = 0;
  double jain = 0;  ///< Of the last part, in which all have come.
};

/// The least of the added backends' shares, over `part`.
double LeastAddedShare(const Options& options, const PartFigures& part);

/// R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", 1984: 1 when all are equal,
/// 1/n when one has all.
double JainIndex(const std::vector<uint64_t>& amounts);

ModeFigures FiguresOf(const Options& options, const ModeRun& run);

}  // namespace l4lb::skew

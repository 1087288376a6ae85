// SPDX-License-Identifier: Apache-2.0
//
// What a run comes to: shares, how long it took until they were fair, latencies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/skew/mode_run.h"
#include "tools/skew/options.h"

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
  std::optional<PartFigures> before;       ///< After the warm-up; as the others, if it came.
  std::optional<PartFigures> during;       ///< From when something is added, the first half.
  std::optional<PartFigures> after;        ///< The other half.
  std::optional<PartFigures> since_added;  ///< Both.
  std::optional<PartFigures> removed;      ///< From when something is removed.
  /// From when something is added until the added backends together have 90 % of their fair share.
  /// Nothing: not within `watched_s`.
  std::optional<double> seconds_to_fair;
  double watched_s = 0;      ///< For so long; 0: nothing was added.
  bool interrupted = false;  ///< Then more might have come.
  uint64_t connections_cut = 0;
  uint64_t errors = 0;
  uint64_t retries = 0;
  uint64_t sent = 0;
  uint64_t answered = 0;
  double p50_ms = 0;  ///< Of all but the warm-up, as the next two.
  double p99_ms = 0;
  double jain = 0;  ///< Of the last part, in which all have come.
};

/// Of the added backends together.
double AddedShare(const Options& options, const PartFigures& part);
double FairAddedShare(const Options& options);

/// R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", 1984: 1 when all are equal,
/// 1/n when one has all.
double JainIndex(const std::vector<uint64_t>& amounts);

ModeFigures FiguresOf(const Options& options, const ModeRun& run);

}  // namespace l4lb::skew

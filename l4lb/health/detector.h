// SPDX-License-Identifier: Apache-2.0
//
// Turns the results of a target's checks into a verdict: so many in a row, or, for `down` with the
// detector phi, an answer that is too late.  Pure: time comes in as an argument.  Owned by Watched.
#pragma once

#include <cstdint>

#include "l4lb/health/check_plan.h"
#include "l4lb/health/phi.h"
#include "l4lb/observe/health.h"

namespace l4lb {

class Detector {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  /// `known` before any check: kUnknown, kUp or kDown.
  Detector(const CheckPlan& plan, Health known);

  // Each says whether the verdict has changed.
  bool OnPassed(int64_t now_ms);
  bool OnFailed();
  /// To be asked at SuspectedAt().
  bool OnSilence(int64_t now_ms);

  /// We were too late by this much: no silence of the target's.
  void Excuse(int64_t ms);

  Health health() const { return health_; }
  /// When the target is down if no check passes before.  kNever: its results are counted.
  int64_t SuspectedAt() const;
  /// The last result is not what the verdict says, and nothing is gained by waiting.
  bool in_doubt() const;
  /// Of the last result: how often in a row.
  int in_a_row() const { return in_a_row_; }
  const Rhythm& rhythm() const { return rhythm_; }

 private:
  bool by_phi() const { return phi_threshold_ > 0; }
  void Note(bool passed);
  bool Become(Health health);
  void NoteAnswer(int64_t now_ms);

  const int rise_;
  const int fall_;
  const double phi_threshold_;
  const double deviations_;          // That amount to the threshold.
  const double least_deviation_ms_;  // Intervals that are all alike must not make it suspicious.
  Health health_;
  bool passed_ = false;  // The last one.
  int in_a_row_ = 0;     // 0: there was none.
  AnswerIntervals intervals_;
  Rhythm rhythm_;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Suspicion by the phi accrual failure detector: N. Hayashibara, X. Defago, R. Yared, T. Katayama,
// "The phi accrual failure detector", SRDS 2004.  phi = -log10 of the chance that an answer comes
// later than now, when intervals between answers are distributed normally as they were so far.  A
// threshold of 8 means: wrong once in 10^8 times, as far as they are.  Pure; used by Detector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace l4lb {

/// phi of what lies `deviations` above the mean: -log10(1 - F(deviations)), F being the standard
/// normal distribution.  Neither overflows nor loses digits: relative error below 1e-9.
double PhiOf(double deviations);
/// The inverse, for `phi` > 0: how many deviations above the mean.
double DeviationsOf(double phi);

/// When answers come, and when the last one came.
struct Rhythm {
  int64_t answered_ms = 0;
  double mean_ms = 0;
  double deviation_ms = 0;  // 0: not known.

  bool known() const { return deviation_ms > 0; }
  double Suspicion(int64_t now_ms) const;  // 0 when it is not known.
  /// The first millisecond with a suspicion of PhiOf(deviations) or more.
  int64_t Reaches(double deviations) const;
};

/// The intervals between the last answers.
class AnswerIntervals {
 public:
  static constexpr size_t kKept = 100;
  static constexpr size_t kEnough = 7;  // Eight answers, one after the other.

  void Add(int64_t interval_ms);
  bool enough() const { return intervals_ms_.size() >= kEnough; }
  // 0 without any.
  double mean_ms() const { return mean_ms_; }
  double deviation_ms() const { return deviation_ms_; }

 private:
  std::vector<int32_t> intervals_ms_;  // A ring once it is full.
  size_t next_ = 0;
  double mean_ms_ = 0;
  double deviation_ms_ = 0;
};

}  // namespace l4lb

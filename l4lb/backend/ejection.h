// SPDX-License-Identifier: Apache-2.0
//
// When a backend is taken out for what sessions met there, and for how long.  Pure; one object for
// each backend, of the control thread.  As Envoy's outlier detection, for TCP.
#pragma once

#include <array>
#include <cstdint>

#include "l4lb/backend/encounters.h"

namespace l4lb {

struct EjectionRule {
  StreakRule streak;
  int rate_percent = 50;  // Of the connections within the streak's window.  0: none is too many.
  int64_t base_ms = 10'000;
  int64_t max_ms = 300'000;
  int max_ejected_percent = 34;  // Of a pool's backends.

  /// How many of so many backends may be out at a time: rounded down.
  int64_t MostOf(int64_t backends) const { return backends * max_ejected_percent / 100; }
};

/// The share of failed connections within a window that slides in steps of a tenth.
class FailureRate {
 public:
  /// Connections within the window, below which a share says nothing.
  static constexpr uint64_t kFewest = 10;

  /// To be called a few times in every window.  Whether too many failed.
  bool Exceeds(int64_t now_ms, const Tally& tally, const EjectionRule& rule);
  /// What was is forgotten.
  void Clear() { size_ = 0; }

 private:
  struct Sample {
    int64_t at_ms = 0;
    Tally tally;
  };
  static constexpr size_t kSamples = 12;  // A window, its beginning, and one more.

  std::array<Sample, kSamples> samples_;  // A ring; the latest is the last.
  size_t first_ = 0;
  size_t size_ = 0;
};

class Ejection {
 public:
  bool active() const { return until_ms_ != 0; }
  int64_t until_ms() const { return until_ms_; }
  int64_t begun_ms() const { return begun_ms_; }
  uint64_t count() const { return count_; }

  /// It is out from now on.  `chance` in [0, 1): of the jitter.  For how long: twice as long as the
  /// last time, unless it was good for as long again since.
  int64_t Begin(int64_t now_ms, const EjectionRule& rule, double chance);
  void End(int64_t now_ms);

 private:
  int64_t begun_ms_ = 0;
  int64_t until_ms_ = 0;  // 0: not ejected.
  int64_t ended_ms_ = 0;
  int64_t length_ms_ = 0;  // Of the last time, without jitter.
  uint64_t count_ = 0;
};

}  // namespace l4lb

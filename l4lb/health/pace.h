// SPDX-License-Identifier: Apache-2.0
//
// When a target's next check begins.  Pure; one per checker, used by Watched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace l4lb {

/// Intervals that differ a little each time, at random: targets that happen to be checked in the
/// same moment drift apart, and none that drift together stay so.
class Pace {
 public:
  static constexpr int kJitterPercent = 5;
  static constexpr int64_t kMostTickMs = 20;

  explicit Pace(uint64_t seed) : generator_(seed) {}

  /// `begun_ms` + `interval_ms` x (1 +- 5 %), at a tick: what is due in the same hundredth of an
  /// interval begins together, which with thousands of targets spares a wake-up for each.
  int64_t Next(int64_t begun_ms, int64_t interval_ms) {
    const int64_t most = interval_ms * kJitterPercent / 100;
    const int64_t jitter = static_cast<int64_t>(generator_() % (2 * most + 1)) - most;
    return Ticked(begun_ms + interval_ms + jitter, interval_ms);
  }
  /// The nearest tick of this interval.
  static int64_t Ticked(int64_t at_ms, int64_t interval_ms) {
    const int64_t tick_ms = std::clamp<int64_t>(interval_ms / 100, 1, kMostTickMs);
    return (at_ms + tick_ms / 2) / tick_ms * tick_ms;
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace l4lb

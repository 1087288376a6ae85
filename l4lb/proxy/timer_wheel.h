// SPDX-License-Identifier: Apache-2.0
//
// Deadlines of one worker: a hierarchical timing wheel (Varghese and Lauck, SOSP 1987) with a tick
// of one millisecond.  Arming and disarming are O(1) and allocate nothing; a timer fires in the
// first Advance() at or after its time, never before.
#pragma once

#include <array>
#include <cstdint>

namespace l4lb {

/// One deadline, embedded in what it belongs to.  Must not move or die while armed.
struct Timer {
  void (*expired)(Timer& timer) = nullptr;
  void* owner = nullptr;

  bool armed() const { return next != nullptr; }

  // The wheel's own.
  Timer* next = nullptr;
  Timer** link = nullptr;  // What points to this timer.
  int64_t at_ms = 0;
};

class TimerWheel {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  explicit TimerWheel(int64_t now_ms);
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  /// Arms, or moves an armed timer.  A time that has passed fires in the next Advance().
  void Arm(Timer& timer, int64_t at_ms);
  void Disarm(Timer& timer);  // No effect on a timer that is not armed.
  /// Fires what is due, in order of time (ties in any order).  Callbacks may arm and disarm any
  /// timer, their own included; a timer armed for a time not after `now_ms` by a callback fires in
  /// the next Advance(), so that none can loop.
  void Advance(int64_t now_ms);
  /// When to call Advance() next: never later than the earliest timer, and for timers far away
  /// possibly earlier (when they must be moved to a finer wheel).  kNever without timers.
  int64_t NextAt() const;
  size_t size() const { return size_; }

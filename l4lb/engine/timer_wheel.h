// SPDX-License-Identifier: Apache-2.0
//
// Deadlines of one worker: a hierarchical timing wheel (Varghese and Lauck, SOSP 1987) with a tick
// of one millisecond.  Arming and disarming are O(1) and allocate nothing; a timer fires in the
// first Advance() at or after its time, never before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace l4lb {

/// One deadline; the base or a part of what it belongs to.  Must not move or die while armed.
struct Timer {
  void (*expired)(Timer& timer) = nullptr;

  bool armed() const { return link != nullptr; }

  // The wheel's own.
  Timer* next = nullptr;
  Timer** link = nullptr;  // What points to this timer; null while not armed.
  int64_t at_ms = 0;
};

/// One that says whose it is.
struct OwnedTimer : Timer {
  void* owner = nullptr;
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
  /// the next Advance(), so that none can loop.  A `now_ms` before the last one counts as the last.
  void Advance(int64_t now_ms);
  /// When to call Advance() next: never later than the earliest timer, and for timers far away
  /// possibly earlier (when they must be moved to a finer wheel).  The time of the last Advance()
  /// when a timer has been armed for a time that had passed.  kNever without timers.
  int64_t NextAt() const;
  size_t size() const { return size_; }

 private:
  // Level L has one slot per value of the time's L-th group of six bits.  A timer lies at the level
  // of the highest group in which its time differs from position_, which is always greater there:
  // so the first occupied slot of the lowest occupied level is the earliest.
  static constexpr int kSlotBits = 6;
  static constexpr int kSlots = 1 << kSlotBits;
  static constexpr int kLevels = (64 + kSlotBits - 1) / kSlotBits;

  struct Slot {
    int level;
    int index;
    int64_t start_ms;
  };

  Slot Earliest() const;  // Only with levels_ != 0.
  Timer* TakeAll(const Slot& slot);
  void Insert(Timer& timer);
  // Takes the timer out of its list; leaves size_ alone.
  void Unlink(Timer& timer);
  void Fire(Timer* due);
  void Cascade(Timer* timers);

  std::array<Timer*, kLevels* kSlots> slots_ = {};
  std::array<uint64_t, kLevels> occupied_ = {};  // A bit per slot that has timers.
  uint32_t levels_ = 0;                          // A bit per level that has timers.
  Timer* overdue_ = nullptr;                     // Armed for a time not after now_ms_.
  int64_t now_ms_;                               // Of the last Advance().
  int64_t position_;                             // At most now_ms_; every slot before it is empty.
  size_t size_ = 0;
};

}  // namespace l4lb

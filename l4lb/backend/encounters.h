// SPDX-License-Identifier: Apache-2.0
//
// What sessions have met at one backend: written by all workers, read by the control thread, which
// ejects (ejection.h).  Nothing here is on the byte path: a session tells it a few times in its
// life.
#pragma once

#include <atomic>
#include <cstdint>

namespace l4lb {

/// How many failures in a row are too many.
struct StreakRule {
  int limit = 0;  // 0: no number is.
  int64_t window_ms = 10'000;
};

/// Failures with no success between them.  Any thread.  Workers that fail at the same moment may
/// count one less, never one more.
class Streak {
 public:
  /// Whether this is the `limit`th within `window_ms` of the first; the next one is a first again.
  bool Add(int64_t now_ms, const StreakRule& rule) {
    if (rule.limit == 0) return false;
    const int64_t since_ms = since_ms_.load(std::memory_order_relaxed);
    if (count_.load(std::memory_order_relaxed) == 0 || now_ms - since_ms > rule.window_ms) {
      since_ms_.store(now_ms, std::memory_order_relaxed);
      count_.store(0, std::memory_order_relaxed);
    }
    if (count_.fetch_add(1, std::memory_order_relaxed) + 1 != rule.limit) return false;
    End();
    return true;
  }
  void End() {
    if (count_.load(std::memory_order_relaxed) != 0) count_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<int> count_{0};
  std::atomic<int64_t> since_ms_{0};
};

/// Totals since the start, at one moment.
struct Tally {
  uint64_t sessions = 0;      // Connections established.
  uint64_t failures = 0;      // Connections refused or not answered in time.
  uint64_t early_resets = 0;  // Connections that it reset before its first byte.
  uint64_t connect_ms = 0;    // What establishing took, of all sessions together.

  uint64_t attempts() const { return sessions + failures; }
  uint64_t failed() const { return failures + early_resets; }
};

class Encounters {
 public:
  /// A connection was established.
  void Connected(int64_t connect_ms) {
    sessions_.fetch_add(1, std::memory_order_relaxed);
    if (connect_ms > 0) connect_ms_.fetch_add(connect_ms, std::memory_order_relaxed);
    refusals_.End();
  }
  /// It refused, or did not answer in time.  Whether that ends a streak of too many.
  bool Refused(int64_t now_ms, const StreakRule& rule) {
    failures_.fetch_add(1, std::memory_order_relaxed);
    return refusals_.Add(now_ms, rule);
  }
  /// A session has had a byte of it.
  void Answered() { resets_.End(); }
  /// It reset a connection before its first byte.  As Refused().
  bool ResetEarly(int64_t now_ms, const StreakRule& rule) {
    early_resets_.fetch_add(1, std::memory_order_relaxed);
    return resets_.Add(now_ms, rule);
  }

  Tally tally() const {
    return {.sessions = sessions_.load(std::memory_order_relaxed),
            .failures = failures_.load(std::memory_order_relaxed),
            .early_resets = early_resets_.load(std::memory_order_relaxed),
            .connect_ms = connect_ms_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<uint64_t> sessions_{0};
  std::atomic<uint64_t> failures_{0};
  std::atomic<uint64_t> early_resets_{0};
  std::atomic<uint64_t> connect_ms_{0};
  // Each has a success of its own: one that accepts and then resets is not well.
  Streak refusals_;
  Streak resets_;
};

}  // namespace l4lb

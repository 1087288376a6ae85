// SPDX-License-Identifier: Apache-2.0
//
// So many events a second: the generic cell rate algorithm (ITU-T I.371, annex A), which needs one
// number: the theoretical arrival time of the next event.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace l4lb {

/// The arithmetic; times in nanoseconds.
class Rate {
 public:
  /// `per_second` at most 10^9.  As many at once as come due in `burst_ms`, one at least.
  Rate(int64_t per_second, int64_t burst_ms)
      : interval_ns_(1'000'000'000 / per_second),
        burst_ns_(std::max(burst_ms * 1'000'000, interval_ns_)) {}

  /// When the next event is due after one at `now_ns` that was due at `due_ns`.
  int64_t Next(int64_t due_ns, int64_t now_ns) const {
    return std::max(due_ns, now_ns) + interval_ns_;
  }
  /// How long an event must wait; not positive: it need not.
  int64_t WaitNs(int64_t due_ns, int64_t now_ns) const {
    return Next(due_ns, now_ns) - burst_ns_ - now_ns;
  }

 private:
  const int64_t interval_ns_;
  const int64_t burst_ns_;
};

/// One rate for all workers, lock-free: accept_rate of a listener.
class SharedRate {
 public:
  static constexpr int64_t kBurstMs = 100;

  /// 0: no limit.
  explicit SharedRate(int64_t per_second) : per_second_(per_second) {}
  void Set(int64_t per_second) { per_second_.store(per_second, std::memory_order_relaxed); }

  /// Milliseconds until Take() may succeed; 0: now.
  int64_t WaitMs(int64_t now_ms) const {
    if (!limited()) return 0;
    const int64_t wait_ns = rate().WaitNs(due_ns_.load(std::memory_order_relaxed), Ns(now_ms));
    return wait_ns <= 0 ? 0 : (wait_ns + 999'999) / 1'000'000;
  }
  bool Take(int64_t now_ms) {
    if (!limited()) return true;
    const Rate rate = this->rate();
    const int64_t now_ns = Ns(now_ms);
    int64_t due_ns = due_ns_.load(std::memory_order_relaxed);
    do {
      if (rate.WaitNs(due_ns, now_ns) > 0) return false;
    } while (!due_ns_.compare_exchange_weak(due_ns, rate.Next(due_ns, now_ns),
                                            std::memory_order_relaxed));
    return true;
  }

 private:
  static int64_t Ns(int64_t ms) { return ms * 1'000'000; }

  bool limited() const { return per_second_.load(std::memory_order_relaxed) > 0; }
  Rate rate() const {
    return Rate(std::max<int64_t>(per_second_.load(std::memory_order_relaxed), 1), kBurstMs);
  }

  std::atomic<int64_t> per_second_;
  std::atomic<int64_t> due_ns_{0};
};

}  // namespace l4lb

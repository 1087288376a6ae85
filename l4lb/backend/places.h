// SPDX-License-Identifier: Apache-2.0
//
// A limit on what may be open at once: max_connections of the process, a listener or a pool.
// Shared by all workers, lock-free.
#pragma once

#include <atomic>
#include <cstdint>

#include "l4lb/backend/interleaving.h"

namespace l4lb {

class Places {
 public:
  /// `limit` 0: there is none.
  explicit Places(int64_t limit) : limit_(limit) {}

  bool TryTake() {
    InterleavingPoint();
    const int64_t most = limit();
    int64_t used = used_.load();
    do {
      if (most > 0 && used >= most) return false;
    } while (!used_.compare_exchange_weak(used, used + 1));
    return true;
  }
  /// Sequentially consistent, so that whoever says first that it waits, and then looks whether
  /// there is a place, is seen by who gives one and then looks whether somebody waits.
  void Give() {
    InterleavingPoint();
    used_.fetch_sub(1);
  }
  /// Who has a place keeps it.  Any thread; whoever raises the limit tells those that wait.
  void SetLimit(int64_t limit) { limit_.store(limit); }

  bool full() const {
    const int64_t most = limit();
    return most > 0 && used_.load() >= most;
  }
  bool limited() const { return limit() > 0; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> limit_;
  alignas(64) std::atomic<int64_t> used_{0};
};

}  // namespace l4lb

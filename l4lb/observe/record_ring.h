// SPDX-License-Identifier: Apache-2.0
//
// A bounded queue of session records from one worker to the access log's thread.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "l4lb/observe/session_record.h"

namespace l4lb {

/// One thread pushes, one thread pops, neither waits.
class RecordRing {
 public:
  /// `capacity` is rounded up to a power of two.
  explicit RecordRing(size_t capacity) : slots_(std::bit_ceil(capacity)) {}

  /// False when full.  The producer only.
  bool Push(const SessionRecord& record) {
    const uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - popped_seen_ == slots_.size()) {
      popped_seen_ = popped_.load(std::memory_order_acquire);
      if (pushed - popped_seen_ == slots_.size()) return false;
    }
    slots_[pushed & (slots_.size() - 1)] = record;
    // Sequentially consistent with the flag that says that the consumer sleeps.
    pushed_.store(pushed + 1, std::memory_order_seq_cst);
    return true;
  }

  /// The oldest record, null when empty.  The consumer only.
  const SessionRecord* Front() const {
    const uint64_t popped = popped_.load(std::memory_order_relaxed);
    if (popped == pushed_.load(std::memory_order_seq_cst)) return nullptr;
    return &slots_[popped & (slots_.size() - 1)];
  }
  /// The consumer only, and only after Front() returned a record.
  void Pop() {
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// Records ever pushed.  Any thread.
  uint64_t pushed() const { return pushed_.load(std::memory_order_acquire); }
  /// Of these, records that the consumer is done with.  Any thread.
  uint64_t popped() const { return popped_.load(std::memory_order_acquire); }

 private:
  std::vector<SessionRecord> slots_;
  alignas(64) std::atomic<uint64_t> pushed_{0};
  uint64_t popped_seen_ = 0;  // The producer's last look at popped_.
  alignas(64) std::atomic<uint64_t> popped_{0};
};

}  // namespace l4lb

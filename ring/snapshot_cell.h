// SPDX-License-Identifier: Apache-2.0
//
// A value that is read by many threads while another one replaces it.  Used by SharedRing.
//
// Readers never lock and never wait: two additions to a counter that few others touch.  A writer
// waits until nobody reads the old value, then frees it.  (std::atomic<std::shared_ptr> of
// libstdc++ takes a spin lock in every reader.)  Readers are counted by epoch, so that new ones
// cannot keep a writer waiting: as in sleepable RCU and in Ramalhete and Correia, "Left-Right: a
// concurrency control technique with wait-free population oblivious reads", 2015.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

namespace ring {

template <class T>
class SnapshotCell {
 public:
  explicit SnapshotCell(std::unique_ptr<const T> value) : value_(value.release()) {}
  ~SnapshotCell() { delete value_.load(); }
  SnapshotCell(const SnapshotCell&) = delete;
  SnapshotCell& operator=(const SnapshotCell&) = delete;

  /// visit(const T&) sees one value that stays until it returns.  It must not write to this cell.
  template <class Visit>
  auto Read(Visit visit) const {
    const Reading reading(readers_[ThisThread()].at(epoch_.load()));
    return visit(*value_.load());
  }

  /// Replaces the value, and returns when nobody reads the old one any more.  Writers take turns.
  void Replace(std::unique_ptr<const T> value) {
    const std::lock_guard<std::mutex> lock(writing_);
    // Whoever begins to read from here on reads the new value, in whichever epoch.
    const std::unique_ptr<const T> old(value_.exchange(value.release()));
    const uint32_t epoch = epoch_.load();
    WaitForReaders(1 - epoch);  // Late ones, who saw that epoch before it last ended.
    epoch_.store(1 - epoch);
    WaitForReaders(epoch);
  }

 private:
  using Counter = std::atomic<uint32_t>;
  struct alignas(64) Readers {
    std::array<Counter, 2> by_epoch = {};
    Counter& at(uint32_t epoch) { return by_epoch[epoch]; }
  };

  class Reading {
   public:
    explicit Reading(Counter& counter) : counter_(counter) { counter_.fetch_add(1); }
    ~Reading() { counter_.fetch_sub(1); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    Counter& counter_;
  };

  static constexpr size_t kCounters = 32;

  static size_t ThisThread() {
    static std::atomic<size_t> threads = 0;
    static thread_local const size_t index = threads.fetch_add(1) % kCounters;
    return index;
  }

  void WaitForReaders(uint32_t epoch) {
    for (Readers& readers : readers_) {
      while (readers.at(epoch).load() != 0) std::this_thread::yield();
    }
  }

  std::atomic<const T*> value_;
  std::atomic<uint32_t> epoch_ = 0;
  mutable std::array<Readers, kCounters> readers_;
  std::mutex writing_;
};

}  // namespace ring

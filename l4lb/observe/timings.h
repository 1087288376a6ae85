// SPDX-License-Identifier: Apache-2.0
//
// How the sessions of a listener and of a pool are spread over time and size: histograms with fixed
// buckets.  As in counters.h a block belongs to one worker, which alone writes it (relaxed load and
// store), and anybody may read and add the blocks of all workers up.  A session is observed once,
// when it ends: two stores for each histogram, no allocation, no lock.
//
// What must add up, per listener: the values in each histogram == closed.
// And per pool: the values in `connect` <= connects_established.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "l4lb/observe/counters.h"
#include "l4lb/observe/session_record.h"

namespace l4lb {

enum class TimingUnit : uint8_t { kMilliseconds, kBytes };

// The upper bounds of the buckets, included, ascending; a last bucket takes what is larger.
inline constexpr std::array<uint64_t, 15> kWaitBoundsMs = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000, 30'000, 60'000};
inline constexpr std::array<uint64_t, 17> kDurationBoundsMs = {
    1,      3,      10,      30,      100,       300,        1'000,      3'000,     10'000,
    30'000, 60'000, 300'000, 900'000, 3'600'000, 14'400'000, 43'200'000, 86'400'000};
inline constexpr std::array<uint64_t, 13> kByteBounds = {
    64,         256,        1 << 10,     4 << 10,     16 << 10,     64 << 10,  256 << 10,
    1ULL << 20, 4ULL << 20, 16ULL << 20, 64ULL << 20, 256ULL << 20, 1ULL << 30};

// X(name, bounds, unit, meaning)
#define L4LB_POOL_TIMINGS(X)                                                                 \
  X(queue, kWaitBoundsMs, kMilliseconds, "waiting for a place, of the sessions that waited") \
  X(connect, kWaitBoundsMs, kMilliseconds,                                                   \
    "accept to the connection to a backend being established, without the wait for a place") \
  X(first_byte, kWaitBoundsMs, kMilliseconds, "accept to the first byte of the backend")

#define L4LB_LISTENER_TIMINGS(X)                                                      \
  X(duration, kDurationBoundsMs, kMilliseconds, "accept to the end of a session")     \
  X(client_bytes, kByteBounds, kBytes, "bytes of a session delivered to the backend") \
  X(backend_bytes, kByteBounds, kBytes, "bytes of a session delivered to the client")

/// One histogram of one worker.  `kUpperBounds`: one of the arrays above.
template <const auto& kUpperBounds>
class BucketCounters {
 public:
  /// On the worker's thread only.
  void Observe(uint64_t value) {
    const auto* bound = std::lower_bound(kUpperBounds.begin(), kUpperBounds.end(), value);
    counts_[static_cast<size_t>(bound - kUpperBounds.begin())].Add();
    sum_.Add(value);
  }

  const auto& counts() const { return counts_; }
  const Counter& sum() const { return sum_; }

 private:
  std::array<Counter, kUpperBounds.size() + 1> counts_;
  Counter sum_;
};

/// The same as plain values: the sums over all workers at one moment.
template <const auto& kUpperBounds>
struct BucketSums {
  static constexpr const auto& kBounds = kUpperBounds;

  std::array<uint64_t, kUpperBounds.size() + 1> counts{};  // Of each bucket alone, not accumulated.
  uint64_t sum = 0;                                        // Of the values.

  void Add(const BucketCounters<kUpperBounds>& counters) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += counters.counts()[i].Get();
    sum += counters.sum().Get();
  }
  uint64_t count() const { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }
};

#define L4LB_FIELD(name, bounds, unit, meaning) BucketCounters<bounds> name;

struct alignas(64) PoolTimingCounters {
  L4LB_POOL_TIMINGS(L4LB_FIELD)

  /// At the end of a session of this pool, on the worker's thread.  One that never waited is not
  /// in `queue` (one that waited in vain is), one that never connected not in `connect`, one whose
  /// backend never sent a byte not in `first_byte`: a zero would say that it went fast.
  void Observe(const SessionRecord& record);
};

struct alignas(64) ListenerTimingCounters {
  L4LB_LISTENER_TIMINGS(L4LB_FIELD)

  /// At the end of a session of this listener, on the worker's thread.  Every session is in every
  /// histogram, one that was refused too.
  void Observe(const SessionRecord& record);
};

#undef L4LB_FIELD
#define L4LB_FIELD(name, bounds, unit, meaning) BucketSums<bounds> name;

struct PoolTimings {
  L4LB_POOL_TIMINGS(L4LB_FIELD)

  void Add(const PoolTimingCounters& counters);
};

struct ListenerTimings {
  L4LB_LISTENER_TIMINGS(L4LB_FIELD)

  void Add(const ListenerTimingCounters& counters);
};

#undef L4LB_FIELD

}  // namespace l4lb

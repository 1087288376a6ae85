// SPDX-License-Identifier: Apache-2.0
//
// One worker's view of a pool: the current snapshot, the state of the policy, and the counters.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "l4lb/backend/pool.h"
#include "l4lb/backend/waits.h"
#include "l4lb/balance/policy.h"
#include "l4lb/net/ip_endpoint.h"
#include "l4lb/observe/limit.h"
#include "l4lb/observe/meters.h"

namespace l4lb {

/// What a pick came to.
struct Picked {
  Lease lease;              // Empty: see below.
  bool full = false;        // Some backend would do, but all that would are full: wait.
  Backend* only = nullptr;  // With `full`: the one to wait for; null: any.
};

class WorkerPool {
 public:
  /// `meters`: of this worker alone.
  WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start, Waits& waits,
             std::shared_ptr<PoolMeters> meters = std::make_shared<PoolMeters>());

  const PoolSnapshot& snapshot() const { return *snapshot_; }
  PoolCounters& counters() { return meters_->counters; }
  PoolTimingCounters& timings() { return meters_->timings; }

  /// From now on this one counts.  The policy goes on where it was.
  void Adopt(std::shared_ptr<const PoolSnapshot> snapshot);

  /// What Pick() is to hash for a client; one without an address (UNIX) gets a number of its own.
  uint64_t FlowKey(const IpEndpoint& client);
  /// Picks a backend that is not in `tried` and takes a lease on it.  Neither a lease nor `full`:
  /// there is no backend to try.
  /// Those that could not be connected to a moment ago come after all others.
  Picked Pick(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms);
  /// Waits for what Pick() said was full; see Waits::Begin().
  bool Wait(WaitOp& wait) { return waits_.Begin(*snapshot_->pool, wait); }
  void CancelWait(WaitOp& wait) { waits_.Cancel(wait); }
  /// Which limit it is that Pick() has met.
  Limit FullLimit() const;
  /// The next of our addresses of this family, in turn; null: the kernel is to choose.
  const SocketAddress* NextSource(int family);

 private:
  /// What a backend must be to be picked.
  struct Terms {
    absl::Span<Backend* const> tried;  // None of these.
    bool full_too = false;             // Whether it has a free place or not.
    int64_t avoid_ms = 0;              // Not avoided at this time; 0: avoided ones, too.
    // The time by which slow starts count; 0: they do not.
    int64_t slow_start_ms = 0;
    uint64_t turn = 0;  // Of this pick: which of those in their slow start it passes over.
  };
  class TermsCandidates;

  bool AnyToTry(absl::Span<Backend* const> tried) const;
  int PickIndex(uint64_t flow_key, Terms terms, int64_t now_ms);
  Picked PickFree(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms);
  Picked PickAny(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms);

  std::shared_ptr<const PoolSnapshot> snapshot_;
  const PolicyStart start_;
  Waits& waits_;
  std::unique_ptr<Policy> policy_;
  const std::shared_ptr<PoolMeters> meters_;
  size_t next_source_;
  uint64_t turn_;           // Of picks among backends in their slow start.
  uint64_t last_nameless_;  // Flow key of a client without an address.
};

}  // namespace l4lb

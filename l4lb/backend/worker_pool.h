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
#include "l4lb/observe/counters.h"
#include "l4lb/observe/limit.h"

namespace l4lb {

/// What a pick came to.
struct Picked {
  Lease lease;              // Empty: see below.
  bool full = false;        // Some backend would do, but all that would are full: wait.
  Backend* only = nullptr;  // With `full`: the one to wait for; null: any.
};

class WorkerPool {
 public:
  WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start, Waits& waits);

  const PoolSnapshot& snapshot() const { return *snapshot_; }
  PoolCounters& counters() { return counters_; }
  const PoolCounters& counters() const { return counters_; }

  /// From now on this one counts.  The policy goes on where it was.
  void Adopt(std::shared_ptr<const PoolSnapshot> snapshot);

  /// What Pick() is to hash for a client; one without an address (UNIX) gets a number of its own.
  uint64_t FlowKey(const IpEndpoint& client);
  /// Picks a backend that is not in `tried` and takes a lease on it.  Neither a lease nor `full`:
  /// there is no backend to try.
  Picked Pick(uint64_t flow_key, absl::Span<Backend* const> tried);
  /// Waits for what Pick() said was full; see Waits::Begin().
  bool Wait(WaitOp& wait) { return waits_.Begin(*snapshot_->pool, wait); }
  void CancelWait(WaitOp& wait) { waits_.Cancel(wait); }
  /// Which limit it is that Pick() has met.
  Limit FullLimit() const;
  /// The next of our addresses of this family, in turn; null: the kernel is to choose.
  const SocketAddress* NextSource(int family);

 private:
  bool AnyToTry(absl::Span<Backend* const> tried) const;
  Picked PickFree(uint64_t flow_key, absl::Span<Backend* const> tried);
  Picked PickAny(uint64_t flow_key, absl::Span<Backend* const> tried);

  std::shared_ptr<const PoolSnapshot> snapshot_;
  const PolicyStart start_;
  Waits& waits_;
  std::unique_ptr<Policy> policy_;
  PoolCounters counters_;
  size_t next_source_;
  uint64_t last_nameless_;  // Flow key of a client without an address.
};

}  // namespace l4lb

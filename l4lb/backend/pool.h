// SPDX-License-Identifier: Apache-2.0
//
// A pool as sessions see it.  PoolSnapshot is immutable and shared by all workers; WorkerPool is
// one worker's view of it: the current snapshot, the state of the policy, and the counters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/backend/backend.h"
#include "l4lb/balance/policy.h"
#include "l4lb/net/listen.h"
#include "l4lb/observe/counters.h"

namespace l4lb {

struct PoolSnapshot {
  std::string name;
  PolicyKind policy = PolicyKind::kRoundRobin;
  int64_t connect_timeout_ms = 5'000;
  int retries = 2;  // Further backends tried after one failed to connect.
  KeepaliveSeconds keepalive;
  int64_t dead_after_ms = 60'000;  // 0: a silent peer is left to the kernel.
  std::vector<std::shared_ptr<Backend>> backends;
};

class WorkerPool {
 public:
  WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start);

  const PoolSnapshot& snapshot() const { return *snapshot_; }
  PoolCounters& counters() { return counters_; }
  const PoolCounters& counters() const { return counters_; }

  /// Picks a backend that is not in `tried` and takes a lease on it; an empty lease when there is
  /// none.
  Lease Pick(uint64_t flow_key, absl::Span<Backend* const> tried);

 private:
  std::shared_ptr<const PoolSnapshot> snapshot_;
  std::unique_ptr<Policy> policy_;
  PoolCounters counters_;
};

}  // namespace l4lb

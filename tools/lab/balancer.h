// SPDX-License-Identifier: Apache-2.0
//
// One simulated balancer: the daemon's policy over the connections that it has opened itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/lookup.h"
#include "l4lb/balance/policy.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// The table of a hash policy over the backends of `world` that are there; null for other policies.
std::shared_ptr<const Lookup> MakeLookup(const World& world, PolicyKind kind, int present);

class Balancer {
 public:
  static constexpr int kNone = Policy::kNone;

  /// `start.index` of `start.count` balancers.  `lookup`: of a hash policy.
  Balancer(const World& world, PolicyKind kind, PolicyStart start,
           std::shared_ptr<const Lookup> lookup);

  /// The backend for a new connection.  With `queue.per: backend` it may be full; with `per: pool`
  /// kNone says that all are.
  int Pick(uint64_t flow_key, int64_t now_ns);
  bool full(int backend) const { return limit_ > 0 && active_[Place(backend)] >= limit_; }
  void Take(int backend) { Add(backend, 1); }
  void GiveBack(int backend) { Add(backend, -1); }
  /// The first `present` backends are there now, the new ones in their slow start.  `lookup`: the
  /// new table of a hash policy.
  void Join(int present, int64_t now_ns, std::shared_ptr<const Lookup> lookup);

 private:
  class View;

  static size_t Place(int backend) { return static_cast<size_t>(backend); }
  void Add(int backend, int change);
  std::unique_ptr<Policy> MakePolicyOf(std::shared_ptr<const Lookup> lookup) const;
  bool PassedOver(int backend, int64_t now_ns) const;

  const PolicyKind kind_;
  const PolicyStart start_;
  const int limit_;
  const bool full_too_;  // queue.per: backend
  const int64_t slow_start_ms_;
  const int slow_start_floor_percent_;
  std::vector<int32_t> active_;
  std::vector<std::atomic<uint32_t>> changes_;
  std::vector<uint32_t> weights_;  // 0: it is not there yet.
  std::unique_ptr<Policy> policy_;
  int first_new_ = 0;       // This one and those after it are in their slow start.
  int64_t joined_ns_ = -1;  // When that began; -1: it did not, or it is over.
  uint64_t turn_;           // Of picks in a slow start.
};

}  // namespace l4lb::lab

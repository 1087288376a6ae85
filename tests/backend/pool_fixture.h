// SPDX-License-Identifier: Apache-2.0
//
// A pool with backends named a, b, c ..., and workers that keep what is posted to them.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "l4lb/backend/waits.h"
#include "l4lb/backend/worker_pool.h"
#include "tests/support/addresses.h"

namespace l4lb {

class Mail final : public LeaseInbox {
 public:
  void PostLease(uint64_t ticket, Lease lease) override {
    mail_.emplace_back(ticket, std::move(lease));
  }
  /// What a worker does in its turn.
  void Deliver() {
    while (!mail_.empty()) {
      auto [ticket, lease] = std::move(mail_.front());
      mail_.pop_front();
      waits.Deliver(ticket, std::move(lease));
    }
    waits.EndCancelled();
  }
  size_t size() const { return mail_.size(); }

  Waits waits{*this};

 private:
  std::deque<std::pair<uint64_t, Lease>> mail_;
};

/// Counts its ends.
struct TrackedWait : WaitOp {
  TrackedWait() {
    done = [](Op& op) { ++static_cast<TrackedWait&>(static_cast<WaitOp&>(op)).ends; };
  }
  int ends = 0;
};

struct MemberSpec {
  uint32_t weight = 1;
  int64_t max_connections = 0;
};

inline std::shared_ptr<PoolSnapshot> NewSnapshot(const std::vector<MemberSpec>& members,
                                                 const PoolLimits& limits = {}) {
  auto snapshot = std::make_shared<PoolSnapshot>();
  snapshot->pool = std::make_shared<Pool>("pool", limits);
  snapshot->policy = PolicyKind::kRoundRobin;
  for (const MemberSpec& member : members) {
    const std::string name(1, static_cast<char>('a' + snapshot->members.size()));
    snapshot->members.push_back({snapshot->pool->Add(name, Parsed("127.0.0.1:9001"),
                                                     {member.weight, member.max_connections}),
                                 member.weight});
  }
  return snapshot;
}

}  // namespace l4lb

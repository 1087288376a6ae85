// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/pool.h"

#include <algorithm>
#include <utility>

namespace l4lb {
namespace {

std::unique_ptr<Policy> PolicyFor(const PoolSnapshot& snapshot, PolicyStart start) {
  std::vector<uint32_t> weights;
  weights.reserve(snapshot.backends.size());
  for (const auto& backend : snapshot.backends) weights.push_back(backend->weight());
  return MakePolicy(snapshot.policy, weights, start);
}

class Untried final : public Candidates {
 public:
  Untried(const PoolSnapshot& snapshot, absl::Span<Backend* const> tried)
      : snapshot_(snapshot), tried_(tried) {}

  bool Eligible(int index) const override {
    const Backend* backend = snapshot_.backends[index].get();
    return std::find(tried_.begin(), tried_.end(), backend) == tried_.end();
  }
  int64_t Active(int index) const override { return snapshot_.backends[index]->active(); }

 private:
  const PoolSnapshot& snapshot_;
  const absl::Span<Backend* const> tried_;
};

}  // namespace

WorkerPool::WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start)
    : snapshot_(std::move(snapshot)), policy_(PolicyFor(*snapshot_, start)) {}

Lease WorkerPool::Pick(uint64_t flow_key, absl::Span<Backend* const> tried) {
  const int index = policy_->Pick(Untried(*snapshot_, tried), flow_key);
  return index == Policy::kNone ? Lease() : snapshot_->backends[index]->Acquire();
}

}  // namespace l4lb

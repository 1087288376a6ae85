// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/worker_pool.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace l4lb {
namespace {

// After so many lost races for the last place of a backend all count as full: the queue is fair.
constexpr int kMostRaces = 4;

std::unique_ptr<Policy> PolicyFor(const PoolSnapshot& snapshot, PolicyStart start) {
  if (snapshot.lookup != nullptr) return MakeLookupPolicy(snapshot.lookup);
  std::vector<uint32_t> weights;
  weights.reserve(snapshot.members.size());
  for (const auto& member : snapshot.members) {
    weights.push_back(member.backend != nullptr ? member.weight : 0);
  }
  return MakePolicy(snapshot.policy, weights, start);
}

class PoolCandidates final : public Candidates {
 public:
  PoolCandidates(const PoolSnapshot& snapshot, absl::Span<Backend* const> tried, bool full_too)
      : snapshot_(snapshot), table_(snapshot.pool->table()), tried_(tried), full_too_(full_too) {}

  bool Eligible(int index) const override {
    if (!full_too_ && table_.full(index)) return false;
    if (tried_.empty()) return true;
    const Backend* backend = snapshot_.members[index].backend.get();
    return std::find(tried_.begin(), tried_.end(), backend) == tried_.end();
  }
  int64_t Active(int index) const override { return table_.active(index); }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return table_.changes(); }
  bool narrowed() const override { return !tried_.empty(); }

 private:
  const PoolSnapshot& snapshot_;
  const ActiveTable& table_;
  const absl::Span<Backend* const> tried_;
  const bool full_too_;
};

}  // namespace

WorkerPool::WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start,
                       Waits& waits)
    : snapshot_(std::move(snapshot)),
      start_(start),
      waits_(waits),
      policy_(PolicyFor(*snapshot_, start)),
      next_source_(static_cast<size_t>(start.index)),
      last_nameless_(start.seed) {}

void WorkerPool::Adopt(std::shared_ptr<const PoolSnapshot> snapshot) {
  std::unique_ptr<Policy> policy = PolicyFor(*snapshot, start_);
  policy->ContinueFrom(*policy_);
  policy_ = std::move(policy);
  snapshot_ = std::move(snapshot);
}

uint64_t WorkerPool::FlowKey(const IpEndpoint& client) {
  if (snapshot_->lookup == nullptr) return 0;
  if (client.empty) return last_nameless_ += 0x9e3779b97f4a7c15;  // Weyl: all bits change evenly.
  const std::string_view ip(reinterpret_cast<const char*>(client.ip.data()), client.ip.size());
  return l4lb::FlowKey(snapshot_->hash_key, ip, client.port);
}

Picked WorkerPool::Pick(uint64_t flow_key, absl::Span<Backend* const> tried) {
  return snapshot_->queue_per_backend ? PickAny(flow_key, tried) : PickFree(flow_key, tried);
}

// The policy's choice among those with a free place.
Picked WorkerPool::PickFree(uint64_t flow_key, absl::Span<Backend* const> tried) {
  Pool& pool = *snapshot_->pool;
  const PoolCandidates candidates(*snapshot_, tried, /*full_too=*/false);
  for (int races = 0; races < kMostRaces && pool.waiting() == 0; ++races) {
    const int index = policy_->Pick(candidates, flow_key);
    if (index == Policy::kNone) break;
    Lease lease = pool.TryAcquire(*snapshot_->members[index].backend);
    if (lease) return {.lease = std::move(lease)};
  }
  return {.full = AnyToTry(tried)};
}

// The policy's choice among all, whether full or not.
Picked WorkerPool::PickAny(uint64_t flow_key, absl::Span<Backend* const> tried) {
  Pool& pool = *snapshot_->pool;
  const int index = policy_->Pick(PoolCandidates(*snapshot_, tried, /*full_too=*/true), flow_key);
  if (index == Policy::kNone) return {};
  Backend& backend = *snapshot_->members[index].backend;
  Lease lease = pool.awaited(backend) ? Lease() : pool.TryAcquire(backend);
  if (lease) return {.lease = std::move(lease)};
  return {.full = true, .only = &backend};
}

bool WorkerPool::AnyToTry(absl::Span<Backend* const> tried) const {
  return std::any_of(
      snapshot_->members.begin(), snapshot_->members.end(), [tried](const auto& member) {
        return member.backend != nullptr && member.weight > 0 &&
               std::find(tried.begin(), tried.end(), member.backend.get()) == tried.end();
      });
}

Limit WorkerPool::FullLimit() const {
  return snapshot_->pool->places().full() ? Limit::pool_connections : Limit::backend_connections;
}

const SocketAddress* WorkerPool::NextSource(int family) {
  const std::vector<SocketAddress>& sources = snapshot_->sources;
  for (size_t looks = 0; looks < sources.size(); ++looks) {
    const SocketAddress& source = sources[next_source_++ % sources.size()];
    if (source.family() == family) return &source;
  }
  return nullptr;
}

}  // namespace l4lb

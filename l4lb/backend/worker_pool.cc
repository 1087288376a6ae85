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

// Of Weyl's sequence: of any number of turns in a row, as many as are due fall below any bound.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

std::unique_ptr<Policy> PolicyFor(const PoolSnapshot& snapshot, PolicyStart start) {
  if (snapshot.lookup != nullptr) return MakeLookupPolicy(snapshot.lookup);
  std::vector<uint32_t> weights;
  weights.reserve(snapshot.members.size());
  for (const auto& member : snapshot.members) {
    weights.push_back(member.backend != nullptr ? member.weight : 0);
  }
  return MakePolicy(snapshot.policy, weights, start);
}

}  // namespace

class WorkerPool::TermsCandidates final : public Candidates {
 public:
  TermsCandidates(const PoolSnapshot& snapshot, const Terms& terms)
      : snapshot_(snapshot), table_(snapshot.pool->table()), terms_(terms) {}

  bool Eligible(int index) const override {
    if (terms_.full_too ? table_.closed(index) : table_.full(index)) return false;
    if (!narrowed()) return true;
    const Backend* backend = snapshot_.members[index].backend.get();
    if (backend->avoided_until_ms() > terms_.avoid_ms && terms_.avoid_ms > 0) return false;
    if (terms_.slow_start_ms > 0 && PassedOver(*backend)) return false;
    return std::find(terms_.tried.begin(), terms_.tried.end(), backend) == terms_.tried.end();
  }
  int64_t Active(int index) const override { return table_.active(index); }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return table_.changes(); }
  bool narrowed() const override {
    return !terms_.tried.empty() || terms_.avoid_ms > 0 || terms_.slow_start_ms > 0;
  }

 private:
  // In its slow start it is a candidate of so many picks only.
  bool PassedOver(const Backend& backend) const {
    const int64_t begin_ms = backend.slow_start_ms();
    if (begin_ms == 0) return false;
    const double share = snapshot_.slow_start.ShareAfter(terms_.slow_start_ms - begin_ms);
    const uint64_t place = terms_.turn + backend.id() * kGolden * kGolden;
    return static_cast<double>(place >> 11) * 0x1p-53 >= share * backend.candidacy();
  }

  const PoolSnapshot& snapshot_;
  const ActiveTable& table_;
  const Terms& terms_;
};

WorkerPool::WorkerPool(std::shared_ptr<const PoolSnapshot> snapshot, PolicyStart start,
                       Waits& waits, std::shared_ptr<PoolMeters> meters)
    : snapshot_(std::move(snapshot)),
      start_(start),
      waits_(waits),
      policy_(PolicyFor(*snapshot_, start)),
      meters_(std::move(meters)),
      next_source_(static_cast<size_t>(start.index)),
      turn_(start.seed),
      last_nameless_(start.seed) {}

void WorkerPool::Adopt(std::shared_ptr<const PoolSnapshot> snapshot) {
  std::unique_ptr<Policy> policy = PolicyFor(*snapshot, start_);
  policy->ContinueFrom(*policy_);
  policy_ = std::move(policy);
  snapshot_ = std::move(snapshot);
}

uint64_t WorkerPool::FlowKey(const IpEndpoint& client) {
  if (snapshot_->lookup == nullptr) return 0;
  if (client.empty) return last_nameless_ += kGolden;
  const std::string_view ip(reinterpret_cast<const char*>(client.ip.data()), client.ip.size());
  return l4lb::FlowKey(snapshot_->hash_key, ip, client.port);
}

Picked WorkerPool::Pick(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms) {
  return snapshot_->queue_per_backend ? PickAny(flow_key, tried, now_ms)
                                      : PickFree(flow_key, tried, now_ms);
}

// The terms that are wishes only are given up one after the other.
int WorkerPool::PickIndex(uint64_t flow_key, Terms terms, int64_t now_ms) {
  const Pool& pool = *snapshot_->pool;
  if (pool.avoiding_until_ms() > now_ms) terms.avoid_ms = now_ms;
  if (pool.slow_until_ms() > now_ms && snapshot_->lookup == nullptr) {
    terms.slow_start_ms = now_ms;
    terms.turn = turn_ += kGolden;
  }
  for (int64_t* wish : {&terms.slow_start_ms, &terms.avoid_ms}) {
    if (*wish == 0) continue;
    const int index = policy_->Pick(TermsCandidates(*snapshot_, terms), flow_key);
    if (index != Policy::kNone) return index;
    *wish = 0;
  }
  return policy_->Pick(TermsCandidates(*snapshot_, terms), flow_key);
}

// The policy's choice among those with a free place.
Picked WorkerPool::PickFree(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms) {
  Pool& pool = *snapshot_->pool;
  for (int races = 0; races < kMostRaces && pool.waiting() == 0; ++races) {
    const int index = PickIndex(flow_key, {.tried = tried}, now_ms);
    if (index == Policy::kNone) break;
    Lease lease = pool.TryAcquire(*snapshot_->members[index].backend);
    if (lease) return {.lease = std::move(lease)};
  }
  return {.full = AnyToTry(tried)};
}

// The policy's choice among all, whether full or not.
Picked WorkerPool::PickAny(uint64_t flow_key, absl::Span<Backend* const> tried, int64_t now_ms) {
  Pool& pool = *snapshot_->pool;
  const int index = PickIndex(flow_key, {.tried = tried, .full_too = true}, now_ms);
  if (index == Policy::kNone) return {};
  Backend& backend = *snapshot_->members[index].backend;
  Lease lease = pool.awaited(backend) ? Lease() : pool.TryAcquire(backend);
  if (lease) return {.lease = std::move(lease)};
  return {.full = true, .only = &backend};
}

bool WorkerPool::AnyToTry(absl::Span<Backend* const> tried) const {
  const ActiveTable& table = snapshot_->pool->table();
  return std::any_of(
      snapshot_->members.begin(), snapshot_->members.end(), [tried, &table](const auto& member) {
        return member.backend != nullptr && !table.closed(member.backend->slot()) &&
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

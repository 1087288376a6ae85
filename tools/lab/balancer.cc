// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/balancer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "l4lb/backend/pool.h"

namespace l4lb::lab {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
// Of Weyl's sequence, as in WorkerPool.
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

bool HasTable(PolicyKind kind) { return kind == PolicyKind::kMaglev || kind == PolicyKind::kRing; }

}  // namespace

std::shared_ptr<const Lookup> MakeLookup(const World& world, PolicyKind kind, int present) {
  if (!HasTable(kind)) return nullptr;
  std::vector<LookupNode> nodes;
  for (int i = 0; i < std::min(present, world.all_backends()); ++i) {
    nodes.push_back({.name = absl::StrCat("backend", i + 1), .index = i});
  }
  auto lookup = kind == PolicyKind::kMaglev ? BuildMaglev(nodes, {}) : BuildRing(nodes, {});
  CHECK(lookup.ok()) << lookup.status();
  return *std::move(lookup);
}

// What the policy may see at one pick.
class Balancer::View final : public Candidates {
 public:
  /// `slow_start_ns`: the time of a pick that slow starts count for; -1: they do not.
  View(const Balancer& balancer, int64_t slow_start_ns)
      : balancer_(balancer), slow_start_ns_(slow_start_ns) {}

  bool Eligible(int index) const override {
    if (!balancer_.full_too_ && balancer_.full(index)) return false;
    return !narrowed() || !balancer_.PassedOver(index, slow_start_ns_);
  }
  int64_t Active(int index) const override { return balancer_.active_[Place(index)]; }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return balancer_.changes_; }
  bool narrowed() const override { return slow_start_ns_ >= 0; }

 private:
  const Balancer& balancer_;
  const int64_t slow_start_ns_;
};

Balancer::Balancer(const World& world, PolicyKind kind, PolicyStart start,
                   std::shared_ptr<const Lookup> lookup)
    : kind_(kind),
      start_(start),
      limit_(world.limit),
      full_too_(world.queue_per == QueuePer::kBackend),
      slow_start_ms_(world.slow_start_ms),
      slow_start_floor_percent_(world.slow_start_floor_percent),
      active_(Place(world.all_backends())),
      changes_(active_.size() / Candidates::kBlock + 1),
      weights_(active_.size()),
      turn_(start.seed) {
  std::fill_n(weights_.begin(), world.backends, 1);
  policy_ = MakePolicyOf(std::move(lookup));
}

std::unique_ptr<Policy> Balancer::MakePolicyOf(std::shared_ptr<const Lookup> lookup) const {
  return lookup != nullptr ? MakeLookupPolicy(std::move(lookup))
                           : MakePolicy(kind_, weights_, start_);
}

void Balancer::Add(int backend, int change) {
  active_[Place(backend)] += change;
  // One thread: no need for a locked instruction.
  std::atomic<uint32_t>& entry = changes_[Place(backend) / Candidates::kBlock];
  entry.store(entry.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// As WorkerPool does it: a new backend is a candidate of so many picks only.
bool Balancer::PassedOver(int backend, int64_t now_ns) const {
  if (backend < first_new_) return false;
  const SlowStart slow_start = {.time_ms = slow_start_ms_,
                                .floor_percent = slow_start_floor_percent_};
  // Policies that remember give a backend whatever it was passed over for.
  const bool forgets = kind_ == PolicyKind::kRandom || kind_ == PolicyKind::kP2c;
  const double candidacy = forgets ? 1 : 1 / static_cast<double>(active_.size());
  const double share = slow_start.ShareAfter((now_ns - joined_ns_) / kNsPerMs);
  const uint64_t place = turn_ + (static_cast<uint64_t>(backend) + 1) * kGolden * kGolden;
  return static_cast<double>(place >> 11) * 0x1p-53 >= share * candidacy;
}

int Balancer::Pick(uint64_t flow_key, int64_t now_ns) {
  if (joined_ns_ >= 0 && now_ns >= joined_ns_ + slow_start_ms_ * kNsPerMs) joined_ns_ = -1;
  if (joined_ns_ >= 0) {
    turn_ += kGolden;
    const int backend = policy_->Pick(View(*this, now_ns), flow_key);
    if (backend != kNone) return backend;
  }
  return policy_->Pick(View(*this, -1), flow_key);
}

void Balancer::Join(int present, int64_t now_ns, std::shared_ptr<const Lookup> lookup) {
  const bool has_table = lookup != nullptr;
  first_new_ = static_cast<int>(std::count(weights_.begin(), weights_.end(), 1u));
  std::fill_n(weights_.begin(), present, 1);
  std::unique_ptr<Policy> policy = MakePolicyOf(std::move(lookup));
  policy->ContinueFrom(*policy_);
  policy_ = std::move(policy);
  if (slow_start_ms_ > 0 && !has_table) joined_ns_ = now_ns;
}

}  // namespace l4lb::lab

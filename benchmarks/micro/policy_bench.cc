// SPDX-License-Identifier: Apache-2.0
//
// What one pick costs, per policy, number of backends and kind of weights.  Each pick takes a place
// at the picked backend, and the session that has lasted longest ends: counts change all the time,
// as they do in the daemon.  One worker, everything warm.
#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "l4lb/balance/policy.h"

namespace l4lb {
namespace {

// As the daemon keeps them: counts and limits side by side, read and changed by several threads.
class BusyPool final : public Candidates {
 public:
  explicit BusyPool(int backends)
      : active_(static_cast<size_t>(backends)),
        limit_(static_cast<size_t>(backends)),
        changes_(static_cast<size_t>(backends / kBlock + 1)) {
    for (auto& limit : limit_) limit.store(1'000'000);
  }

  bool Eligible(int index) const override {
    const auto slot = static_cast<size_t>(index);
    return active_[slot].load() < limit_[slot].load(std::memory_order_relaxed);
  }
  int64_t Active(int index) const override { return active_[static_cast<size_t>(index)].load(); }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return changes_; }
  bool narrowed() const override { return false; }

  void Add(int index, int32_t change) {
    active_[static_cast<size_t>(index)].fetch_add(change);
    changes_[static_cast<size_t>(index / kBlock)].fetch_add(1, std::memory_order_release);
  }

 private:
  std::vector<std::atomic<int32_t>> active_;
  std::vector<std::atomic<int32_t>> limit_;
  std::vector<std::atomic<uint32_t>> changes_;
};

// Sessions that are open: the oldest ends as the next begins.
class Sessions {
 public:
  explicit Sessions(BusyPool& pool) : pool_(pool) { open_.fill(Policy::kNone); }

  void Begin(int index) {
    pool_.Add(index, 1);
    int& oldest = open_[next_++ % open_.size()];
    if (oldest != Policy::kNone) pool_.Add(oldest, -1);
    oldest = index;
  }

 private:
  BusyPool& pool_;
  std::array<int, 4096> open_;
  size_t next_ = 0;
};

std::vector<uint32_t> Weights(int backends, bool equal) {
  std::vector<uint32_t> weights(static_cast<size_t>(backends), 1);
  for (size_t i = 0; i < weights.size() && !equal; ++i) weights[i] = 1 + i * 7 % 10;
  return weights;
}

void Pick(benchmark::State& state, PolicyKind kind, bool equal) {
  const auto backends = static_cast<int>(state.range(0));
  const auto policy = MakePolicy(kind, Weights(backends, equal), {});
  BusyPool pool(backends);
  Sessions sessions(pool);
  for (int i = 0; i < 2 * backends + 5'000; ++i) sessions.Begin(policy->Pick(pool, 0));
  for (auto _ : state) sessions.Begin(policy->Pick(pool, 0));
}

// A pool is updated: what a worker spends on the policy of the new snapshot.
void Replace(benchmark::State& state, PolicyKind kind, bool equal) {
  const std::vector<uint32_t> weights = Weights(static_cast<int>(state.range(0)), equal);
  auto policy = MakePolicy(kind, weights, {});
  for (auto _ : state) {
    auto next = MakePolicy(kind, weights, {});
    next->ContinueFrom(*policy);
    policy = std::move(next);
  }
}

// What the loop costs without a policy.
void Baseline(benchmark::State& state) {
  BusyPool pool(static_cast<int>(state.range(0)));
  Sessions sessions(pool);
  int index = 0;
  for (auto _ : state) {
    sessions.Begin(index);
    index = index + 1 == state.range(0) ? 0 : index + 1;
  }
}

void Register() {
  benchmark::RegisterBenchmark("baseline", Baseline)->Arg(1)->Arg(10'000);
  for (const PolicyKind kind : {PolicyKind::kRoundRobin, PolicyKind::kRandom,
                                PolicyKind::kLeastConnections, PolicyKind::kP2c}) {
    for (const bool equal : {true, false}) {
      const std::string name = std::string(Name(kind)) + (equal ? "/equal" : "/unequal");
      auto* pick = benchmark::RegisterBenchmark(("pick/" + name).c_str(), Pick, kind, equal);
      for (const int backends : {1, 3, 10, 100, 1000, 10'000}) pick->Arg(backends);
      benchmark::RegisterBenchmark(("replace/" + name).c_str(), Replace, kind, equal)
          ->Arg(10'000)
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace
}  // namespace l4lb

int main(int argc, char** argv) {
  l4lb::Register();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}

// SPDX-License-Identifier: Apache-2.0
//
// Every structured binding here names all fields on purpose: who adds one to status.h does not get
// past it without saying what becomes of it.
#include "tests/observe/full_status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace l4lb {
namespace {

class Filler {
 public:
  explicit Filler(std::vector<std::string>& values) : values_(values) {}

  template <class T>
  void Number(T& field) {
    field = static_cast<T>(next_);
    values_.push_back(absl::StrCat(next_));
    next_ += 7;
  }
  void Milliseconds(auto& field) {
    if (next_ % 10 == 0) ++next_;  // Its text would be shorter.
    field = next_;
    values_.push_back(absl::StrFormat("%d.%03d", next_ / 1000, next_ % 1000));
    next_ += 7;
  }
  template <const auto& kBounds>
  void Histogram(BucketSums<kBounds>& histogram, TimingUnit unit) {
    uint64_t before = 0;
    for (uint64_t& count : histogram.counts) {
      count = static_cast<uint64_t>(next_);
      next_ += 7;
      before += count;
      values_.push_back(absl::StrCat(before));
    }
    unit == TimingUnit::kMilliseconds ? Milliseconds(histogram.sum) : Number(histogram.sum);
  }

 private:
  std::vector<std::string>& values_;
  int64_t next_ = 1'000'003;
};

#define L4LB_FILL(field, meaning) filler.Number(sums.field);
#define L4LB_FILL_TIMING(field, bounds, unit, meaning) \
  filler.Histogram(timings.field, TimingUnit::unit);

void Fill(BackendStatus& backend, Filler& filler) {
  auto& [name, address, weight, max_connections, state, overrides, by_api, removed, active,
         sessions, failures, drain_left_ms, backup, takes_sessions, early_resets, ejections,
         ejected_left_ms, slow_start_left_ms, slow, check] = backend;
  name = kAwkwardName;
  address = "10.0.0.1:5432";
  filler.Number(weight);
  filler.Number(max_connections);
  state = BackendState::kDrain;
  overrides = {"state"};
  by_api = removed = false;
  filler.Number(active);
  filler.Number(sessions);
  filler.Number(failures);
  filler.Milliseconds(drain_left_ms);
  backup = slow = false;
  takes_sessions = true;
  filler.Number(early_resets);
  filler.Number(ejections);
  ejected_left_ms = 5;
  filler.Milliseconds(slow_start_left_ms);
  check.health = Health::kUp;
  filler.Number(check.passed);
  filler.Number(check.failed);
  filler.Number(check.not_made);
}

void Fill(PoolStatus& pool, Filler& filler) {
  auto& [name, policy, sums, timings, active, max_connections, waiting, queue_limit, healthy,
         fail_open, table, table_checksum, backends] = pool;
  name = kAwkwardName;
  policy = "maglev";
  L4LB_POOL_COUNTERS(L4LB_FILL)
  L4LB_POOL_TIMINGS(L4LB_FILL_TIMING)
  filler.Number(active);
  filler.Number(max_connections);
  filler.Number(waiting);
  filler.Number(queue_limit);
  filler.Number(healthy);
  fail_open = true;
  table = "65537 slots";
  table_checksum = 0xfedcba9876543210;
  backends.resize(2);
  for (BackendStatus& backend : backends) Fill(backend, filler);
  backends[1].name = "pg2";
}

void Fill(ListenerStatus& listener, Filler& filler) {
  auto& [name, pool, addresses, sums, timings, active, max_connections, draining, removed,
         drain_left_ms] = listener;
  name = pool = kAwkwardName;
  addresses = {"127.0.0.1:1"};
  L4LB_LISTENER_COUNTERS(L4LB_FILL)
  for (uint64_t& count : sums.closed_by_reason) filler.Number(count);
  for (int i = 1; i < kLimits; ++i) filler.Number(sums.refused_by_limit[i]);
  L4LB_LISTENER_TIMINGS(L4LB_FILL_TIMING)
  filler.Number(active);
  filler.Number(max_connections);
  draining = removed = false;
  filler.Milliseconds(drain_left_ms);
}

void Fill(WorkerStatus& worker, Filler& filler) {
  auto& [sums, sessions] = worker;
  L4LB_WORKER_COUNTERS(L4LB_FILL)
  filler.Number(sessions);
}

void Fill(ConfigStatus& config, Filler& filler) {
  auto& [path, hash, loaded_unix_ms, reloads, reloads_failed, last_error] = config;
  path = kAwkwardName;
  hash = "0123456789abcdef";
  filler.Milliseconds(loaded_unix_ms);
  filler.Number(reloads);
  filler.Number(reloads_failed);
  last_error = "l4lb.yaml:3:1: unknown key";
}

void Fill(ProcessStatus& process, Filler& filler) {
  auto& [version, engine, engine_why, pid, start_unix_ms, uptime_ms, active, max_connections,
         open_files_limit, log_suppressed, access_log_lost, ready, draining, drain_left_ms, config,
         workers, listeners, pools] = process;
  version = "1.2.3";
  engine = "epoll";
  engine_why = "asked for";
  pid = 1;
  filler.Milliseconds(start_unix_ms);
  filler.Milliseconds(uptime_ms);
  filler.Number(active);
  filler.Number(max_connections);
  filler.Number(open_files_limit);
  filler.Number(log_suppressed);
  filler.Number(access_log_lost);
  ready = draining = true;
  filler.Milliseconds(drain_left_ms);
  Fill(config, filler);
  workers.resize(2);
  for (WorkerStatus& worker : workers) Fill(worker, filler);
  listeners.resize(2);
  for (ListenerStatus& listener : listeners) Fill(listener, filler);
  listeners[1].name = "b";
  pools.resize(2);
  for (PoolStatus& pool : pools) Fill(pool, filler);
  pools[1].name = "b";
}

}  // namespace

FullStatus::FullStatus() {
  Filler filler(values);
  Fill(status, filler);
  // The sum of its reasons, which are exported.
  for (ListenerStatus& listener : status.listeners) {
    std::erase(values, absl::StrCat(listener.sums.closed));
  }
}

}  // namespace l4lb

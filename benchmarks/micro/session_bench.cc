// SPDX-License-Identifier: Apache-2.0
//
// What control costs a worker that has many sessions: each figure is a time in which the worker
// does nothing else.
#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/micro/idle_worker.h"

namespace l4lb {
namespace {

void List(benchmark::State& state, const SessionFilter& filter) {
  IdleWorker worker(static_cast<int>(state.range(0)), 2);
  for (auto _ : state) {
    std::vector<SessionStatus> found;
    benchmark::DoNotOptimize(ListSessions(worker.sessions(), filter, &found));
  }
}

void BM_ListHundredIdlest(benchmark::State& state) {
  List(state, {.sort = SessionFilter::Sort::kIdle, .limit = 100});
}

void BM_ListAll(benchmark::State& state) { List(state, {.limit = 1'000'000}); }

void BM_CloseIdlest(benchmark::State& state) {
  IdleWorker worker(static_cast<int>(state.range(0)), 2);
  const std::vector<Surplus> nobody = {{worker.backend(0).get(), 0}};
  for (auto _ : state) CloseIdlest(worker.sessions(), nobody, CloseReason::rebalanced);
}

// Each step looks at all sessions; there are four to twenty a second, whatever is drained.
void BM_DrainStep(benchmark::State& state) {
  IdleWorker worker(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  int64_t now_ms = worker.engine().now_ms();
  TimerWheel timers(now_ms);
  Closer closer(
      {.engine = worker.engine(), .timers = timers, .sessions = worker.sessions(), .share = 0.5});
  constexpr int64_t kForEverMs = int64_t{1} << 40;
  closer.Drain({.timeout_ms = kForEverMs, .spread_ms = kForEverMs});
  for (int index = 0; index < state.range(1); ++index) {
    closer.Drain({.target = {.backend = worker.backend(index)},
                  .timeout_ms = kForEverMs,
                  .spread_ms = kForEverMs});
  }
  for (auto _ : state) {
    worker.engine().MoveTo(now_ms += 250);
    timers.Advance(now_ms);
  }
}

// What the histograms add to every session, at its end.
void BM_Observe(benchmark::State& state) {
  ListenerMeters listener;
  PoolMeters pool;
  SessionRecord record;
  record.connect_ms = 1;
  for (auto _ : state) {
    record.first_byte_ms = record.total_ms = record.id++ % 1'000;
    record.client_bytes = record.backend_bytes = record.id % 10'000;
    listener.timings.Observe(record);
    pool.timings.Observe(record);
  }
}

BENCHMARK(BM_Observe);
constexpr int kMany = 9'000;
BENCHMARK(BM_ListHundredIdlest)->Arg(100)->Arg(kMany)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_ListAll)->Arg(100)->Arg(kMany)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_CloseIdlest)->Arg(100)->Arg(kMany)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DrainStep)
    ->Args({100, 2})
    ->Args({kMany, 2})
    ->Args({kMany, 100})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace l4lb

BENCHMARK_MAIN();

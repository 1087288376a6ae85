// SPDX-License-Identifier: Apache-2.0
//
// What it costs to build a table or a ring, and to take a tenth of its nodes out (extra: slots or
// keys that moved though their node is alive, which must be 0).
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "maglev/table.h"
#include "ring/ring.h"

namespace lookup {
namespace {

template <class Node>
std::vector<Node> Nodes(int64_t count) {
  std::vector<Node> nodes;
  for (int64_t i = 0; i < count; ++i) nodes.push_back({"node-" + std::to_string(i), 1});
  return nodes;
}

std::unique_ptr<bool[]> AllButATenth(int64_t count) {
  std::unique_ptr<bool[]> alive(new bool[static_cast<size_t>(count)]);
  for (int64_t i = 0; i < count; ++i) alive[i] = i % 10 != 3;
  return alive;
}

void MaglevBuild(benchmark::State& state) {
  const std::vector<maglev::Node> nodes = Nodes<maglev::Node>(state.range(1));
  const maglev::Options options = {.size = static_cast<uint32_t>(state.range(0))};
  for (auto _ : state) benchmark::DoNotOptimize(maglev::Table::Build(nodes, options));
  state.counters["memory"] =
      static_cast<double>(maglev::Table::Build(nodes, options)->memory_bytes());
}

void MaglevWithAlive(benchmark::State& state) {
  const maglev::Options options = {.size = static_cast<uint32_t>(state.range(0))};
  const maglev::Table table = *maglev::Table::Build(Nodes<maglev::Node>(state.range(1)), options);
  const std::unique_ptr<bool[]> flags = AllButATenth(state.range(1));
  const absl::Span<const bool> alive = absl::MakeConstSpan(flags.get(), table.nodes());
  for (auto _ : state) benchmark::DoNotOptimize(table.WithAlive(alive));
  const maglev::Table overlay = *table.WithAlive(alive);
  uint32_t extra = 0;
  for (uint32_t slot = 0; slot < table.size(); ++slot) {
    extra += alive[table.owner(slot)] && overlay.owner(slot) != table.owner(slot) ? 1 : 0;
  }
  state.counters["extra"] = extra;
}

void MaglevChecksum(benchmark::State& state) {
  const maglev::Options options = {.size = static_cast<uint32_t>(state.range(0))};
  const maglev::Table table = *maglev::Table::Build(Nodes<maglev::Node>(state.range(1)), options);
  for (auto _ : state) benchmark::DoNotOptimize(table.Checksum());
}

void RingBuild(benchmark::State& state) {
  const std::vector<ring::Node> nodes = Nodes<ring::Node>(state.range(1));
  const ring::Options options = {.points = static_cast<uint32_t>(state.range(0))};
  for (auto _ : state) benchmark::DoNotOptimize(ring::Ring::Build(nodes, options));
  state.counters["memory"] = static_cast<double>(ring::Ring::Build(nodes, options)->memory_bytes());
}

void RingWithAlive(benchmark::State& state) {
  const ring::Options options = {.points = static_cast<uint32_t>(state.range(0))};
  const ring::Ring ring = *ring::Ring::Build(Nodes<ring::Node>(state.range(1)), options);
  const std::unique_ptr<bool[]> flags = AllButATenth(state.range(1));
  const absl::Span<const bool> alive = absl::MakeConstSpan(flags.get(), ring.nodes());
  for (auto _ : state) benchmark::DoNotOptimize(ring.WithAlive(alive));
}

void OfTables(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{65537, 655373}, {10, 100, 1000}})->Unit(benchmark::kMillisecond);
}

void OfRings(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{160, 256}, {10, 100, 1000}})->Unit(benchmark::kMillisecond);
}

BENCHMARK(MaglevBuild)->Apply(OfTables);
BENCHMARK(MaglevWithAlive)->Apply(OfTables);
BENCHMARK(MaglevChecksum)->Apply(OfTables);
BENCHMARK(RingBuild)->Apply(OfRings);
BENCHMARK(RingWithAlive)->Apply(OfRings);

}  // namespace
}  // namespace lookup

BENCHMARK_MAIN();

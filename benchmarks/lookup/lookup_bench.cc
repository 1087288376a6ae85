// SPDX-License-Identifier: Apache-2.0
//
// What one lookup costs, given a hash, per algorithm and number of nodes.  /throughput: hashes are
// independent of each other, so the processor works on several at once.  /latency: the next hash
// depends on the node that was found, so it cannot.  Both include what makes the next hash, which
// is measured alone as `none`.  peak_to_mean and stddev (of shares, relative) are over a million
// keys, of the slowest two over 100,000; memory is in bytes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchmarks/lookup/jump.h"
#include "benchmarks/lookup/mix.h"
#include "benchmarks/lookup/modulo.h"
#include "benchmarks/lookup/multi_probe.h"
#include "benchmarks/lookup/rendezvous.h"
#include "benchmarks/lookup/ring_layouts.h"
#include "benchmarks/lookup/textbook_ring.h"
#include "maglev/table.h"
#include "ring/ring.h"

namespace lookup {
namespace {

constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

// Finds nothing.
struct None {
  uint32_t Lookup(uint64_t hash) const { return static_cast<uint32_t>(hash & 1); }
  static constexpr uint64_t memory_bytes() { return 0; }
};

// Keys are made from hashes, so that it is asked as the others are.
struct Textbook {
  TextbookRing ring{256};
  uint32_t Lookup(uint64_t hash) const { return *ring.Lookup(static_cast<uint32_t>(hash >> 32)); }
  uint64_t memory_bytes() const { return ring.memory_bytes(); }
};

std::vector<std::string> Keys(uint32_t nodes) {
  std::vector<std::string> keys;
  for (uint32_t i = 0; i < nodes; ++i) keys.push_back("node-" + std::to_string(i));
  return keys;
}

template <class Node>
std::vector<Node> Nodes(uint32_t nodes) {
  std::vector<Node> list;
  for (std::string& key : Keys(nodes)) list.push_back({std::move(key), 1});
  return list;
}

maglev::Table MakeTable(uint32_t nodes, uint32_t size) {
  return *maglev::Table::Build(Nodes<maglev::Node>(nodes), {.size = size});
}

ring::Ring MakeRing(uint32_t nodes, uint32_t points) {
  return *ring::Ring::Build(Nodes<ring::Node>(nodes), {.points = points});
}

// How even the shares of all nodes are.
struct Quality {
  double peak_to_mean = 0;
  double stddev = 0;
};

template <class Algorithm>
Quality QualityOf(const Algorithm& algorithm, uint32_t nodes, uint64_t keys) {
  std::vector<double> shares(nodes);
  for (uint64_t key = 0; key < keys; ++key) ++shares[algorithm.Lookup(Mix(key))];
  const double mean = static_cast<double>(keys) / nodes;
  double squares = 0;
  for (const double share : shares) squares += (share - mean) * (share - mean);
  return {*std::max_element(shares.begin(), shares.end()) / mean,
          std::sqrt(squares / nodes) / mean};
}

// Made when it is first needed, then kept: a benchmark is run several times.
template <class Make>
class Kept {
 public:
  Kept(uint32_t nodes, Make make) : nodes_(nodes), make_(make) {}
  const auto& Get() {
    if (algorithm_ == nullptr) algorithm_ = make_(nodes_);
    return *algorithm_;
  }
  const Quality& GetQuality(uint64_t keys) {
    if (quality_.peak_to_mean == 0) quality_ = QualityOf(Get(), nodes_, keys);
    return quality_;
  }

 private:
  const uint32_t nodes_;
  const Make make_;
  std::invoke_result_t<Make, uint32_t> algorithm_;
  Quality quality_;
};

template <class Algorithm>
void Throughput(benchmark::State& state, const Algorithm& algorithm) {
  uint64_t counter = 1;
  for (auto _ : state) {
    counter += kStep;
    benchmark::DoNotOptimize(algorithm.Lookup(counter * counter));
  }
}

template <class Algorithm>
void Latency(benchmark::State& state, const Algorithm& algorithm) {
  uint64_t counter = 1;
  uint32_t found = 0;
  for (auto _ : state) {
    counter += kStep + found;
    found = algorithm.Lookup(counter * counter);
  }
  benchmark::DoNotOptimize(found);
}

constexpr uint64_t kKeys = 1'000'000;
constexpr uint64_t kFewKeys = 100'000;  // For what takes long.

template <class Make>
void Register(const std::string& name, uint32_t nodes, Make make, uint64_t keys = kKeys) {
  const std::string full = name + "/" + std::to_string(nodes);
  const auto kept = std::make_shared<Kept<Make>>(nodes, make);
  benchmark::RegisterBenchmark((full + "/throughput").c_str(), [=](benchmark::State& state) {
    Throughput(state, kept->Get());
    if (name == "none") return;
    state.counters["peak_to_mean"] = kept->GetQuality(keys).peak_to_mean;
    state.counters["stddev"] = kept->GetQuality(keys).stddev;
    state.counters["memory"] = static_cast<double>(kept->Get().memory_bytes());
  });
  benchmark::RegisterBenchmark((full + "/latency").c_str(),
                               [=](benchmark::State& state) { Latency(state, kept->Get()); });
}

void RegisterComparators(uint32_t nodes) {
  Register("none", nodes, [](uint32_t) { return std::make_unique<None>(); });
  Register("modulo", nodes, [](uint32_t n) { return std::make_unique<Modulo>(n); });
  Register("jump", nodes, [](uint32_t n) { return std::make_unique<Jump>(n); });
  Register(
      "multi_probe", nodes, [](uint32_t n) { return std::make_unique<MultiProbe>(Keys(n)); },
      kFewKeys);
  Register(
      "rendezvous", nodes, [](uint32_t n) { return std::make_unique<Rendezvous>(Keys(n)); },
      kFewKeys);
  Register("textbook_ring_256", nodes, [](uint32_t n) {
    auto textbook = std::make_unique<Textbook>();
    for (const std::string& key : Keys(n)) textbook->ring.Add(key, 1);
    return textbook;
  });
}

void RegisterTables(uint32_t nodes) {
  for (const uint32_t size : {65537, 655373}) {
    Register("maglev_" + std::to_string(size), nodes,
             [size](uint32_t n) { return std::make_unique<maglev::Table>(MakeTable(n, size)); });
  }
  for (const uint32_t points : {40, 160, 256, 1000}) {
    Register("ring_" + std::to_string(points), nodes,
             [points](uint32_t n) { return std::make_unique<ring::Ring>(MakeRing(n, points)); });
  }
  Register("ring_256_eytzinger", nodes,
           [](uint32_t n) { return std::make_unique<EytzingerRing>(MakeRing(n, 256)); });
  Register("ring_256_bisection", nodes,
           [](uint32_t n) { return std::make_unique<SortedRing>(MakeRing(n, 256)); });
}

const bool registered = [] {
  for (const uint32_t nodes : {10, 100, 1000}) {
    RegisterComparators(nodes);
    RegisterTables(nodes);
  }
  return true;
}();

}  // namespace
}  // namespace lookup

BENCHMARK_MAIN();

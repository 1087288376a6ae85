// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/survey.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "tools/lab/simulation.h"

namespace l4lb::lab {
namespace {

constexpr double kNsPerMs = 1e6;

// Calls work(0) to work(count - 1), each once, on so many threads.
void OnThreads(int threads, int count, const std::function<void(int)>& work) {
  std::atomic<int> next = 0;
  const auto worker = [&] {
    for (int i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < std::min(threads, count); ++i) others.emplace_back(worker);
  worker();
  for (std::thread& other : others) other.join();
}

}  // namespace

double QuantileMs(const Outcome& outcome, double share) {
  return static_cast<double>(outcome.latency_ns.Quantile(share)) / kNsPerMs;
}

double MarkedShare(const World& world, const Outcome& outcome) {
  double sum = 0;
  for (int i = 0; i < world.all_backends(); ++i) {
    if (world.slow > 0 ? world.is_slow(i) : i >= world.backends) sum += outcome.ShareOf(i);
  }
  return 100 * sum;
}

double ValueOf(Figure figure, const World& world, const Outcome& outcome) {
  switch (figure) {
    case Figure::kP50:
      return QuantileMs(outcome, 0.5);
    case Figure::kP99:
      return QuantileMs(outcome, 0.99);
    case Figure::kMax:
      return QuantileMs(outcome, 1);
    case Figure::kSlowShare:
      return MarkedShare(world, outcome);
  }
  return 0;
}

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {.median = median, .least = values.front(), .most = values.back()};
}

double QuantileOf(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

bool IsGrowing(const Row& row) {
  const auto growing = std::count_if(row.runs.begin(), row.runs.end(),
                                     [](const Outcome& outcome) { return outcome.growing; });
  return 2 * static_cast<size_t>(growing) > row.runs.size();
}

std::vector<Row> RunAll(const World& world, const std::vector<PolicyKind>& policies,
                        const Effort& effort, const std::function<void(int, int)>& progress) {
  std::vector<Row> rows;
  for (const PolicyKind policy : policies) {
    rows.push_back({.policy = policy, .expected = ExpectedOf(world, policy)});
    rows.back().runs.resize(static_cast<size_t>(effort.seeds));
  }
  const int threads =
      effort.threads > 0 ? effort.threads : static_cast<int>(std::thread::hardware_concurrency());
  const int count = static_cast<int>(rows.size()) * effort.seeds;
  std::atomic<int> done = 0;
  OnThreads(threads, count, [&](int i) {
    Row& row = rows[static_cast<size_t>(i / effort.seeds)];
    const int number = i % effort.seeds;
    const uint64_t seed = effort.first_seed + static_cast<uint64_t>(number);
    Simulation simulation(world, row.policy, seed, effort.samples);
    row.runs[static_cast<size_t>(number)] = simulation.Run();
    progress(++done, count);
  });
  return rows;
}

}  // namespace l4lb::lab

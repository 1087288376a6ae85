// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/timing.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace l4lb::lookup {
namespace {

constexpr uint64_t kFirstTimes = 1'000;
constexpr double kLongMs = 500;

double MillisecondsOf(absl::FunctionRef<void()> work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  return taken.count();
}

Timing TimingOf(std::vector<double> rounds) {
  std::sort(rounds.begin(), rounds.end());
  return {.median = rounds[rounds.size() / 2], .least = rounds.front(), .most = rounds.back()};
}

}  // namespace

Timing NanosecondsEach(const Effort& effort, absl::FunctionRef<void(uint64_t times)> work) {
  uint64_t times = kFirstTimes;
  while (MillisecondsOf([&] { work(times); }) < effort.round_ms) times *= 2;
  std::vector<double> rounds;
  for (int round = 0; round < effort.rounds; ++round) {
    rounds.push_back(MillisecondsOf([&] { work(times); }) * 1e6 / static_cast<double>(times));
  }
  return TimingOf(std::move(rounds));
}

Timing Milliseconds(const Effort& effort, absl::FunctionRef<void()> work) {
  std::vector<double> rounds;
  double sum = 0;
  while (rounds.empty() || (static_cast<int>(rounds.size()) < effort.rounds && sum < kLongMs)) {
    rounds.push_back(MillisecondsOf(work));
    sum += rounds.back();
  }
  return TimingOf(std::move(rounds));
}

}  // namespace l4lb::lookup

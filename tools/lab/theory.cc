// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/theory.h"

#include <cmath>
#include <vector>

namespace l4lb::lab {
namespace {

constexpr int kManyBackends = 100;  // The limit of two choices is near, if not all are nearly busy.

// Everything that the formulas leave out.
bool IsPlain(const World& world) {
  return world.connections == 0 && world.joining == 0 && world.utilisation < 1;
}

double VarianceOf(const World& world) {
  switch (world.service) {
    case Service::kExponential:
      return 1;
    case Service::kConstant:
      return 0;
    case Service::kPareto:
      // E[X^2] = a (a - 1)^2 / (a - 2) / a^2, with mean 1.
      return (world.shape - 1) * (world.shape - 1) / (world.shape * (world.shape - 2)) - 1;
  }
  return 1;
}

// Of an exponential time.
double Quantile(double mean, double share) { return -mean * std::log(1 - share); }

// Of a mixture of exponential times, each with the same probability: by bisection.
double Quantile(const std::vector<double>& means, double share) {
  double low = 0;
  double high = 1;
  const auto above = [&means](double time) {
    double sum = 0;
    for (const double mean : means) sum += std::exp(-time / mean);
    return sum / static_cast<double>(means.size());
  };
  while (above(high) > 1 - share) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (above(middle) > 1 - share ? low : high) = middle;
  }
  return high;
}

// Every backend is a queue of its own, with an equal part of the arrivals.
std::optional<Expected> ExpectedOfRandom(const World& world) {
  const bool one_place_to_wait = world.balancers == 1 && world.queue_per == QueuePer::kBackend;
  if (world.limit > 0 && !one_place_to_wait) return std::nullopt;
  if (world.service == Service::kPareto && world.shape <= 2) return std::nullopt;
  std::vector<double> means;
  double sum = 0;
  for (int i = 0; i < world.backends; ++i) {
    const double mean_ms = world.mean_ms_of(i);
    const double load = world.rate() / world.backends * mean_ms / 1'000;
    if (load >= 1) return std::nullopt;
    means.push_back(MeanTimeOfOneServer(mean_ms, load, VarianceOf(world)));
    sum += means.back();
  }
  Expected expected = {.name = "M/G/1", .mean_ms = sum / world.backends};
  if (world.service == Service::kConstant) expected.name = "M/D/1";
  if (world.service != Service::kExponential) return expected;
  return Expected{.name = "M/M/1",
                  .mean_ms = expected.mean_ms,
                  .p50_ms = Quantile(means, 0.5),
                  .p99_ms = Quantile(means, 0.99)};
}

std::optional<Expected> ExpectedOfRoundRobin(const World& world) {
  if (world.balancers != 1 || (world.limit > 0 && world.queue_per == QueuePer::kPool)) return {};
  const double busy = BusyOnTurn(world.backends, world.utilisation);
  const double mean_ms = world.mean_ms / (1 - busy);
  return Expected{.name = "E_n/M/1",
                  .mean_ms = mean_ms,
                  .p50_ms = Quantile(mean_ms, 0.5),
                  .p99_ms = Quantile(mean_ms, 0.99)};
}

}  // namespace

double MeanTimeOfOneServer(double mean, double load, double variance) {
  return mean * (1 + load * (1 + variance) / (2 * (1 - load)));
}

// By the recursion of Erlang's B, which does not overflow.
double ErlangC(int servers, double load) {
  const double offered = load * servers;
  double blocked = 1;
  for (int n = 1; n <= servers; ++n) blocked = offered * blocked / (n + offered * blocked);
  return blocked / (1 - load * (1 - blocked));
}

double MeanTimeOfCentralQueue(double mean, int servers, double load) {
  return mean * (1 + ErlangC(servers, load) / (servers * (1 - load)));
}

// The root below 1 of s = A(mu (1 - s)), where A is the transform of n exponential gaps in a row.
double BusyOnTurn(int backends, double load) {
  double busy = load;
  for (int i = 0; i < 10'000; ++i) {
    const double gaps = backends * load;
    busy = std::pow(gaps / (gaps + 1 - busy), backends);
  }
  return busy;
}

double ShareWithAtLeast(int k, double load) { return std::pow(load, std::exp2(k) - 1); }

double MeanTimeOfTwoChoices(double mean, double load) {
  constexpr int kTerms = 30;
  double sum = 0;
  for (int k = 1; k <= kTerms; ++k) sum += ShareWithAtLeast(k, load) / load;
  return mean * sum;
}

std::optional<Expected> ExpectedOf(const World& world, PolicyKind policy) {
  if (!IsPlain(world)) return std::nullopt;
  if (policy == PolicyKind::kRandom || world.backends == 1) return ExpectedOfRandom(world);
  if (world.slow > 0 || world.service != Service::kExponential) return std::nullopt;
  if (policy == PolicyKind::kRoundRobin) return ExpectedOfRoundRobin(world);
  const bool central = world.limit == 1 && world.queue_per == QueuePer::kPool;
  if (world.balancers != 1) return std::nullopt;
  if (central) {
    return Expected{
        .name = "M/M/n",
        .mean_ms = MeanTimeOfCentralQueue(world.mean_ms, world.backends, world.utilisation)};
  }
  if (policy == PolicyKind::kP2c && world.limit == 0 && world.backends >= kManyBackends) {
    return Expected{.name = "two choices, N to infinity",
                    .mean_ms = MeanTimeOfTwoChoices(world.mean_ms, world.utilisation)};
  }
  return std::nullopt;
}

}  // namespace l4lb::lab

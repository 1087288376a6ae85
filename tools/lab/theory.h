// SPDX-License-Identifier: Apache-2.0
//
// What queueing theory says about a World, where it says something exact: the simulator is checked
// against it, and the report shows it beside what was simulated.
//
// Sources: L. Kleinrock, "Queueing Systems", volume 1 (1975); M. Mitzenmacher, "The Power of Two
// Choices in Randomized Load Balancing" (2001).
#pragma once

#include <optional>
#include <string>

#include "l4lb/balance/policy.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

// Times are in the unit of `mean`, that of a request's service; `load` is below 1.

/// M/G/1, the formula of Pollaczek and Khinchine: mean time from the arrival to the answer.
/// `variance`: of the service, in squares of its mean (exponential: 1, constant: 0).
double MeanTimeOfOneServer(double mean, double load, double variance);

/// M/M/n: the probability of having to wait (Erlang's C); `load` of each server.
double ErlangC(int servers, double load);
double MeanTimeOfCentralQueue(double mean, int servers, double load);

/// E_n/M/1, what each of n equal backends sees of round robin: a request finds the backend busy
/// with this probability.  Times are exponential with mean / (1 - it) in the mean.
double BusyOnTurn(int backends, double load);

/// Two choices among very many backends: the share of them with at least k requests.
double ShareWithAtLeast(int k, double load);
double MeanTimeOfTwoChoices(double mean, double load);

/// The answer for a whole World; quantiles where they are known.
struct Expected {
  std::string name;  // "M/M/1"
  double mean_ms = 0;
  std::optional<double> p50_ms;
  std::optional<double> p99_ms;
};

/// Nothing where no formula is exact, or where a backend is sent more than it can do.
std::optional<Expected> ExpectedOf(const World& world, PolicyKind policy);

}  // namespace l4lb::lab

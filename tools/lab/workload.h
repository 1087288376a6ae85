// SPDX-License-Identifier: Apache-2.0
//
// The requests of a World: when they come and what each costs.  They depend on the seed alone, so
// that policies, and the simulator and the real balancer, are given the very same ones.
#pragma once

#include <cstdint>

#include "tools/lab/variates.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// What a seed is drawn for: another stream each.
enum class Stream : uint64_t { kArrivals = 1, kCosts = 2, kChoices = 3, kPolicies = 4 };

inline Variates StreamOf(uint64_t seed, Stream stream) {
  return Variates(seed, static_cast<uint64_t>(stream));
}

class Workload {
 public:
  Workload(const World& world, uint64_t seed)
      : service_(world.service),
        shape_(world.shape),
        gap_ns_(1e9 / world.rate()),
        arrivals_(StreamOf(seed, Stream::kArrivals)),
        costs_(StreamOf(seed, Stream::kCosts)) {}

  /// The time from one arrival to the next.
  int64_t NextGapNs() { return static_cast<int64_t>(arrivals_.Exponential() * gap_ns_ + 0.5); }
  /// Of the request that comes then, in means of its backend.
  double NextCost() { return costs_.Draw(service_, shape_); }

 private:
  const Service service_;
  const double shape_;
  const double gap_ns_;
  Variates arrivals_;
  Variates costs_;
};

}  // namespace l4lb::lab

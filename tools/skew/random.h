// SPDX-License-Identifier: Apache-2.0
//
// Exponential times, the same for a seed on every machine.
#pragma once

#include <cmath>
#include <cstdint>

#include "l4lb/balance/split_mix.h"

namespace l4lb::skew {

class ExponentialTimes {
 public:
  /// `stream` tells apart those who draw with one seed.
  ExponentialTimes(uint64_t seed, uint64_t stream, double mean_ns)
      : random_(SplitMix64(seed).Next() ^ SplitMix64(~stream).Next()), mean_ns_(mean_ns) {}

  int64_t Next() {
    // In (0, 1]: 0 has no logarithm.
    const double uniform = static_cast<double>((random_.Next() >> 11) + 1) * 0x1p-53;
    return static_cast<int64_t>(-std::log(uniform) * mean_ns_);
  }

 private:
  SplitMix64 random_;
  double mean_ns_;
};

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of the simulator: the same on every machine.  The distributions of the standard
// library and the logarithm of libm differ from one to the next; these are made of IEEE operations
// only, and compiled without fused ones.
#pragma once

#include <bit>
#include <cstdint>

#include "l4lb/balance/split_mix.h"

namespace l4lb::lab {

/// The natural logarithm of a positive normal number, to 2^-50.
double Log(double x);
/// e^x for x from -700 to 700, to 2^-48.
double Exp(double x);

/// What a request costs: distributions with mean 1.
enum class Service : uint8_t { kExponential, kConstant, kPareto };

class Variates {
 public:
  /// Another `stream` of the same seed is independent of this one.
  Variates(uint64_t seed, uint64_t stream) : random_(SplitMix64(seed ^ Scrambled(stream)).Next()) {}

  /// 0 to bound - 1.
  uint32_t Below(uint32_t bound) { return random_.Below(bound); }
  uint64_t Next() { return random_.Next(); }
  /// Above 0, up to and with 1.
  double Uniform() { return static_cast<double>((random_.Next() >> 11) + 1) * 0x1p-53; }
  double Exponential() { return -Log(Uniform()); }
  /// P(X > x) = (least / x)^shape; `shape` above 1.  The variance is infinite up to shape 2.
  double Pareto(double shape) { return (shape - 1) / shape * Exp(Exponential() / shape); }
  /// `shape`: of kPareto.
  double Draw(Service service, double shape);

 private:
  static uint64_t Scrambled(uint64_t stream) { return SplitMix64(stream).Next(); }

  SplitMix64 random_;
};

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/variates.h"

#include <array>

namespace l4lb::lab {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458;
constexpr double kSqrt2 = 1.41421356237309504880168872421;
constexpr int kMantissaBits = 52;
constexpr uint64_t kOne = uint64_t{1023} << kMantissaBits;  // The bits of 1.0.

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(kOne + (static_cast<uint64_t>(exponent) << kMantissaBits));
}

// The sum of z^k / (2k + 1): enough terms for z below 0.03.
double AtanhSeries(double z) {
  constexpr int kTerms = 11;
  double sum = 0;
  for (int k = kTerms; k >= 0; --k) sum = sum * z + 1.0 / (2 * k + 1);
  return sum;
}

}  // namespace

// log(2^e m) = e log 2 + 2 atanh((m - 1) / (m + 1)), with m around 1.
double Log(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  auto exponent = static_cast<int>(bits >> kMantissaBits) - 1023;
  double m = std::bit_cast<double>((bits & ((uint64_t{1} << kMantissaBits) - 1)) | kOne);
  if (m > kSqrt2) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  return exponent * kLn2 + 2 * s * AtanhSeries(s * s);
}

// e^x = 2^k e^r, with r within half of log 2.
double Exp(double x) {
  constexpr int kTerms = 14;
  const double turns = x / kLn2;
  const int k = static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5));
  const double r = x - k * kLn2;
  double sum = 1;
  for (int n = kTerms; n > 0; --n) sum = 1 + sum * r / n;
  return sum * PowerOfTwo(k);
}

double Variates::Draw(Service service, double shape) {
  switch (service) {
    case Service::kExponential:
      return Exponential();
    case Service::kConstant:
      return 1;
    case Service::kPareto:
      return Pareto(shape);
  }
  return 1;
}

}  // namespace l4lb::lab

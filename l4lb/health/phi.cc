// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/phi.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace l4lb {
namespace {

constexpr double kLn10 = 2.302585092994045684;
constexpr double kLog10OfSqrtPi = 0.248574936153733855;

// erfc() underflows at 26.5.  From here on its asymptotic expansion (Abramowitz and Stegun, 7.1.23)
// with these terms is good to 1e-10.
constexpr double kFar = 15;

// log10(erfc(x)) for x >= kFar.
double FarLog10Erfc(double x) {
  const double u = 1 / (2 * x * x);
  const double series = -u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u)));
  return -x * x / kLn10 - std::log10(x) - kLog10OfSqrtPi + std::log1p(series) / kLn10;
}

}  // namespace

double PhiOf(double deviations) {
  const double x = deviations / std::sqrt(2.0);
  if (x >= kFar) return std::log10(2.0) - FarLog10Erfc(x);
  if (x >= 0) return -std::log10(0.5 * std::erfc(x));
  return -std::log1p(-0.5 * std::erfc(-x)) / kLn10;  // Near 0: all the digits are in erfc().
}

double DeviationsOf(double phi) {
  double low = -37;                              // PhiOf() is 0 below.
  double high = std::sqrt(2 * kLn10 * phi) + 1;  // 1 - F(z) < exp(-z*z/2) for z >= 0.
  for (int i = 0; i < 100 && high - low > 1e-12 * std::max(1.0, std::fabs(high)); ++i) {
    const double middle = (low + high) / 2;
    (PhiOf(middle) < phi ? low : high) = middle;
  }
  return high;
}

double Rhythm::Suspicion(int64_t now_ms) const {
  if (!known()) return 0;
  return PhiOf((static_cast<double>(now_ms - answered_ms) - mean_ms) / deviation_ms);
}

int64_t Rhythm::Reaches(double deviations) const {
  return answered_ms +
         std::max<int64_t>(0, std::llround(std::ceil(mean_ms + deviations * deviation_ms)));
}

void AnswerIntervals::Add(int64_t interval_ms) {
  const auto interval = static_cast<int32_t>(
      std::clamp<int64_t>(interval_ms, 0, std::numeric_limits<int32_t>::max()));
  if (intervals_ms_.size() < kKept) {
    intervals_ms_.push_back(interval);
  } else {
    intervals_ms_[next_] = interval;
    next_ = (next_ + 1) % kKept;
  }
  const auto count = static_cast<double>(intervals_ms_.size());
  double sum = 0;
  for (const int32_t each : intervals_ms_) sum += each;
  mean_ms_ = sum / count;
  double squares = 0;
  for (const int32_t each : intervals_ms_) squares += (each - mean_ms_) * (each - mean_ms_);
  deviation_ms_ = std::sqrt(squares / count);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/slow_connects.h"

#include <algorithm>

namespace l4lb {
namespace {

constexpr size_t kFewestBackends = 3;
constexpr double kTimes = 3;
constexpr double kLeastMs = 5;  // More: the clock has whole milliseconds.

}  // namespace

SlowConnects FindSlowConnects(absl::Span<const ConnectTimes> backends) {
  SlowConnects found;
  found.slow.resize(backends.size());
  std::vector<double> means;
  for (const ConnectTimes& times : backends) {
    if (times.count >= kFewestConnects) means.push_back(times.mean_ms());
  }
  if (means.size() < kFewestBackends) return found;
  // The lower one of two: half of them may be slow.
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>((means.size() - 1) / 2);
  std::nth_element(means.begin(), middle, means.end());
  found.usual_ms = *middle;
  for (size_t i = 0; i < backends.size(); ++i) {
    found.slow[i] = backends[i].count >= kFewestConnects &&
                    backends[i].mean_ms() > kTimes * found.usual_ms + kLeastMs;
  }
  return found;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Published figures beside runs of the same length: do they lie where chance puts such runs?
#pragma once

#include <functional>
#include <vector>

#include "tools/lab/scenes.h"
#include "tools/lab/survey.h"

namespace l4lb::lab {

/// Where most runs lie: from the 1st to the 99th percentile of them.
struct Claim {
  Published published;
  double low = 0;
  double high = 0;
  double steady = 0;  // Of one run that is `kSteadyRunMs` long.
  bool growing = false;

  /// The whole published range lies there, as far as it was rounded.
  bool holds() const {
    const double half = published.rounding / 2;
    return published.least + half >= low && published.most - half <= high;
  }
};

constexpr int64_t kSteadyRunMs = 600'000;

/// All figures published about the scene, empty if there are none.  `seeds`: how many runs.
std::vector<Claim> CheckClaims(const Scene& scene, int seeds, int threads,
                               const std::function<void(int, int)>& progress);

}  // namespace l4lb::lab

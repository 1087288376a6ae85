// SPDX-License-Identifier: Apache-2.0
//
// What one simulated run came to.
#pragma once

#include <cstdint>
#include <vector>

#include "l4lb/observe/histogram.h"

namespace l4lb::lab {

/// A moment of a run: for the pictures over time.
struct Sample {
  int64_t time_ms = 0;
  std::vector<int> present;   // By backend: requests there or waiting for it.
  int64_t waiting = 0;        // Requests that wait for any backend.
  Histogram latency_ns;       // Of the requests that came since the sample before.
  std::vector<int> requests;  // These by backend.
};

struct Outcome {
  Histogram latency_ns;           // From the arrival at a balancer to the answer.
  int64_t waited = 0;             // Requests that waited for a free place at a backend.
  std::vector<int64_t> requests;  // By backend.
  std::vector<double> load;       // By backend: work sent to it, as a share of the time.
  std::vector<double> at_least;   // By k: the mean share of backends with at least k requests.
  /// Some backend was sent more than it can do, or all were: figures grow with the duration.
  bool growing = false;
  std::vector<Sample> samples;  // Only if asked for.

  double ShareOf(int backend) const;
};

}  // namespace l4lb::lab

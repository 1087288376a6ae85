// SPDX-License-Identifier: Apache-2.0
//
// How the backends of a pool are checked.  Immutable: all targets of a pool share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "l4lb/health/expectation.h"

namespace l4lb {

struct CheckPlan {
  int64_t interval_ms = 2'000;
  int64_t fast_interval_ms = 500;  // While the last result contradicts the verdict.
  int64_t timeout_ms = 1'000;      // From the connect to the verdict.
  int rise = 2;                    // Passed checks in a row that bring a backend back.
  int fall = 3;                    // Failed ones that take it out.
  double phi_threshold = 0;        // Of the detector phi.  0: results are counted.
  std::string send;                // What is sent once connected; may be empty.
  /// What must come back.  Null: the connection alone is enough.
  std::shared_ptr<const Expectation> expected;
  size_t limit_bytes = 64 << 10;  // Read at most, before and after the verdict.
};

}  // namespace l4lb

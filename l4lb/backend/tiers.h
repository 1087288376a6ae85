// SPDX-License-Identifier: Apache-2.0
//
// Which backends of a pool take sessions, by their fitness: the backup tier, and failing open.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace l4lb {

enum class Fitness : uint8_t {
  kFit,
  kUnproven,  // Came later, and no check has passed yet.
  kUnfit,     // Down or ejected.
};

struct Standing {
  bool ready = true;  // It is meant to take sessions.
  bool backup = false;
  Fitness fitness = Fitness::kFit;
};

struct Tiers {
  std::vector<bool> open;  // By backend: it takes sessions.
  bool fail_open = false;  // Too few are fit: all are taken as fit.
  int64_t fit = 0;         // Backends that are ready and fit.
};

/// The fit backends that are no backups take sessions.  When none is fit, or less than
/// `fail_open_percent` of those that are proven, then the fit backups do, too.  Without any of
/// these come the unproven ones, if nobody is fit; and if there are none either, and
/// `fail_open_percent` is not 0, all that are ready.
Tiers DecideTiers(absl::Span<const Standing> backends, int64_t fail_open_percent);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// One mode from its first connection to its last answer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tools/skew/backends.h"
#include "tools/skew/client.h"
#include "tools/skew/layer7.h"
#include "tools/skew/observed.h"
#include "tools/skew/options.h"
#include "tools/skew/schedule.h"

namespace l4lb::skew {

/// What was seen at both ends.
struct ModeRun {
  Mode mode;
  Schedule schedule;
  Observed observed;
  ClientTally tally;
  std::string about;  ///< What was in the middle.
  bool interrupted = false;
};

/// About ten times a second: when it is (from the beginning of the mode), and how many requests
/// each backend has answered so far.  False ends the mode.
using Watch = std::function<bool(int64_t now_ns, const Backends& backends)>;

/// `layer7`: there when `mode` needs it.
absl::StatusOr<ModeRun> RunMode(const Options& options, Mode mode,
                                const std::optional<Layer7Program>& layer7, const Watch& watch);

}  // namespace l4lb::skew

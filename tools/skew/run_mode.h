// SPDX-License-Identifier: Apache-2.0
//
// One mode from its first connection to its last answer.
#pragma once

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "tools/skew/backends.h"
#include "tools/skew/layer7.h"
#include "tools/skew/mode_run.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

/// About ten times a second: when it is (from the beginning of the mode), and how many requests
/// each backend has answered so far.  False ends the mode.
using Watcher = std::function<bool(int64_t now_ns, const Backends& backends)>;

/// `layer7`: there when `mode` needs it.
absl::StatusOr<ModeRun> RunMode(const Options& options, Mode mode,
                                const std::optional<Layer7Program>& layer7, const Watcher& watch);

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
//
// Runs a load on its threads, shows how it goes, and adds up what came out.
#pragma once

#include "tools/load/options.h"
#include "tools/load/tally.h"

namespace l4lb::load {

struct Outcome {
  Tally tally;
  bool interrupted = false;  ///< By SIGINT, SIGTERM or the end of stdin.
};

/// The whole run.  SIGINT and SIGTERM end it early; they and SIGPIPE must be blocked in the caller
/// (kit::BlockSignals()), before any thread is started.
Outcome RunLoad(const Options& options);

}  // namespace l4lb::load

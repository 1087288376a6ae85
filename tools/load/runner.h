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
/// (see BlockSignals), before any thread is started.
Outcome RunLoad(const Options& options);

/// SIGINT and SIGTERM wait to be read, SIGPIPE is an errno.
void BlockSignals();

/// Returns when SIGINT or SIGTERM comes.
void WaitForStop();

}  // namespace l4lb::load

// SPDX-License-Identifier: Apache-2.0
//
// The control thread's life: serve until a signal says otherwise.
//
//   SIGTERM, SIGINT  drain: stop listening, let sessions finish for drain_timeout, then close them;
//                    a second one closes them at once
//   SIGHUP           opens the access log anew
//   SIGUSR1          writes all counters as one JSON line to stderr
#pragma once

#include "absl/time/time.h"
#include "l4lb/server/server.h"

namespace l4lb {

/// Blocks the signals above.  To be called before any thread is made.
void BlockSignals();

/// Returns when every session has ended after a drain.
void ServeUntilStopped(Server& server, absl::Duration drain_timeout);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM as something to wait for.
#pragma once

#include "l4lb/net/unique_fd.h"

namespace l4lb::kit {

/// SIGINT and SIGTERM wait to be read, SIGPIPE is an errno.  Before any thread is started, since
/// threads inherit it.
void BlockSignals();

/// Readable when SIGINT or SIGTERM has come; after BlockSignals().  Stops the process when the
/// kernel gives no signalfd.
UniqueFd StopSignalFd();

/// Returns when SIGINT or SIGTERM comes; after BlockSignals().
void WaitForStop();

/// From here on SIGINT and SIGTERM end the process at once: for a second one, while what was asked
/// for is still being finished.
void UnblockSignals();

}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
//
// How the threads of the logs are started.
#pragma once

#include <functional>
#include <thread>

namespace l4lb {

/// A named thread in which every signal is blocked: signals stay with those who wait for them, and
/// a reader that went away is EPIPE and not SIGPIPE.  `name`: 15 characters at most.
std::thread StartLogThread(const char* name, std::function<void()> run);

}  // namespace l4lb

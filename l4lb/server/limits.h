// SPDX-License-Identifier: Apache-2.0
//
// How many sessions the process can hold: two file descriptors each, and some for everything else.
#pragma once

#include <cstdint>

#include "l4lb/config/config.h"

namespace l4lb {

struct Limits {
  int64_t open_files = 0;
  int64_t max_connections = 0;
  int64_t wanted_files = 0;  // What was asked for needs so many.
  bool clamped = false;      // The descriptors do not allow it.
};

inline constexpr int64_t kFdsOfProcess = 32;  // Logs, and the like.
inline constexpr int64_t kFdsOfWorker = 8;    // Its engine's, and a few listening sockets.
inline constexpr int64_t kFewSockets = 4;     // Of listening sockets; more of them count extra.

/// `sockets`: listening ones of each worker.  `wanted` 0: as many as the descriptors allow.  At
/// least one.
Limits ComputeLimits(int64_t open_files, int64_t workers, int64_t sockets, int64_t wanted);

/// What the admin API may hold, of so many descriptors in all: its connections, and those that it
/// is closing.
int64_t FdsOfAdmin(int64_t open_files);

/// How many backends may be checked at a time, of so many descriptors in all: one each.
int64_t FdsOfChecks(const Config& config, int64_t open_files);

/// For this machine; raises the limit of open files as far as it goes.
Limits LimitsFor(const Config& config);

/// `wanted` 0: one for each core that the process may use.
int WorkersFor(int64_t wanted);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// How many sessions the process can hold: two file descriptors each, and some for everything else.
#pragma once

#include <cstdint>

namespace l4lb {

struct Limits {
  int64_t open_files = 0;
  int64_t max_connections = 0;
  bool clamped = false;  // More were asked for than the descriptors allow.
};

inline constexpr int64_t kFdsOfProcess = 32;  // Logs, listeners, admin.
inline constexpr int64_t kFdsOfWorker = 8;
inline constexpr int64_t kFdsOfSession = 2;

/// `wanted` 0: as many as the descriptors allow.  At least one.
Limits ComputeLimits(int64_t open_files, int64_t workers, int64_t wanted);

}  // namespace l4lb

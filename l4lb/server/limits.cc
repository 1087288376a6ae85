// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/limits.h"

#include <algorithm>

namespace l4lb {

Limits ComputeLimits(int64_t open_files, int64_t workers, int64_t wanted) {
  const int64_t possible =
      std::max<int64_t>((open_files - kFdsOfProcess - kFdsOfWorker * workers) / kFdsOfSession, 1);
  return {.open_files = open_files,
          .max_connections = wanted == 0 ? possible : std::min(wanted, possible),
          .clamped = wanted > possible};
}

}  // namespace l4lb

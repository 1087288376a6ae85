// SPDX-License-Identifier: Apache-2.0
//
// How many files a run has open at a time: all ends of all connections are in this process, but for
// those of a proxy of layer 7.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tools/skew/options.h"

namespace l4lb::skew {

inline int64_t OpenFilesOf(const Options& options) {
  const int64_t others = 100 + options.all_backends();  // Epoll, rings, logs; listeners.
  int64_t most = 0;
  for (const Mode mode : options.modes) {
    int64_t per_client = 2;  // Of the proxy's connections to backends it has few.
    if (TextOf(mode).kind == Kind::kLayer4) per_client = 4;
    if (TextOf(mode).kind == Kind::kClient) per_client = int64_t{2} * options.all_backends();
    most = std::max(most, per_client * options.clients);
  }
  return most + others;
}

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
//
// What changes between two configurations, for people: listeners, pools and backends by their
// names, all else key by key.
#pragma once

#include <string>
#include <vector>

#include "l4lb/config/config.h"

namespace l4lb {

struct ConfigDiff {
  std::vector<std::string>
      changes;  // "pool a: backend b3 added", "listener x: idle_timeout 1h -> 5m".
  std::vector<std::string> ignored;  // Of keys that need a restart: "workers 2 -> 4".
};

ConfigDiff DiffConfigs(Config before, Config after);

/// Gives `next` the values that `running` has of the keys that need a restart.
void KeepRestartKeys(Config running, Config* next);

}  // namespace l4lb

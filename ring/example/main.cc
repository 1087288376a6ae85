// SPDX-License-Identifier: Apache-2.0
//
// Caches with two copies of everything, of which one is removed: only its keys move.  Built against
// the installed library.

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "ring/shared_ring.h"

int main() {
  ring::SharedRing caches;
  for (const char* name : {"cache-1", "cache-2", "cache-3"}) {
    if (!caches.Add({name, 1}).ok()) return 1;
  }
  std::map<std::string, std::vector<std::string>> before;
  for (int i = 0; i < 8; ++i) {
    const std::string key = "user:" + std::to_string(i);
    before[key] = *caches.Replicas(key, 2);
  }
  if (!caches.Remove("cache-2").ok()) return 1;
  for (const auto& [key, owners] : before) {
    const std::string after = *caches.Lookup(key);
    std::cout << key << "  " << owners[0] << ", " << owners[1] << "  without cache-2: " << after
              << "\n";
    // The second copy is where a key goes that loses the first.
    if (after != (owners[0] == "cache-2" ? owners[1] : owners[0])) return 1;
  }
  return 0;
}

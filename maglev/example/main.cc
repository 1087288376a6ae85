// SPDX-License-Identifier: Apache-2.0
//
// Three nodes, one of which dies: who serves which client?  Built against the installed library.

#include <cstdint>
#include <iostream>
#include <string>

#include "maglev/table.h"

int main() {
  const absl::StatusOr<maglev::Table> table =
      maglev::Table::Build({{"red", 2}, {"green", 1}, {"blue", 1}});
  if (!table.ok()) {
    std::cerr << table.status().message() << "\n";
    return 1;
  }
  const bool alive[] = {true, false, true};  // In byte order of the keys: blue, green, red.
  const absl::StatusOr<maglev::Table> overlay = table->WithAlive(alive);
  if (!overlay.ok()) {
    std::cerr << overlay.status().message() << "\n";
    return 1;
  }
  for (int host = 1; host <= 8; ++host) {
    const std::string client = "192.0.2." + std::to_string(host);
    const uint32_t before = table->Lookup(client);
    const uint32_t after = overlay->Lookup(client);
    std::cout << client << "  " << table->key(before) << "  without green: " << table->key(after)
              << "\n";
    if (before != after && table->key(before) != "green") return 1;  // Only green's may move.
  }
  return 0;
}

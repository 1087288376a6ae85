// SPDX-License-Identifier: Apache-2.0
//
// What l4lb-lookup is asked to measure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace l4lb::lookup {

/// What --quick makes smaller than it is by default.
struct Effort {
  uint32_t keys = 1'000'000;  // For shares and disruption.
  int rounds = 9;             // Of each timing; the median counts.
  double round_ms = 20;       // How long a round of lookups takes at least.
  int name_sets = 100;        // How many sets of ten names a claim about rings is tried on.
};

struct Options {
  std::vector<uint32_t> nodes = {10, 100, 1000};
  std::vector<uint32_t> points = {40, 160, 256, 1000};  // V, of the ring.
  std::vector<uint32_t> table_sizes = {65537, 655373};  // Of Maglev.
  uint64_t seed = 1;                                    // Of the keys.
  Effort effort;
  bool quick = false;
  bool json = false;
  std::string html;  // Where to write the page; empty: nowhere.
};

}  // namespace l4lb::lookup

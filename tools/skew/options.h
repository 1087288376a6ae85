// SPDX-License-Identifier: Apache-2.0
//
// What the command line says, as values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/skew/layer7_choice.h"
#include "tools/skew/mode.h"

namespace l4lb::skew {

struct Options {
  int backends = 3;  ///< At the beginning.
  int added = 1;
  int64_t add_at_ms = 3000;  ///< From the beginning of a mode.
  int removed = 0;           ///< Of those that were there first, the first ones.
  int64_t remove_at_ms = 0;
  int clients = 48;
  double rate = 960;  ///< Requests a second of all clients.
  int64_t duration_ms = 10'000;
  int64_t service_ms = 2;  ///< The mean of a backend's time for one request.
  int64_t max_connection_age_ms = 5000;
  std::vector<Mode> modes;
  Layer7Choice layer7 = Layer7Choice::kAuto;
  uint64_t seed = 1;
  bool json = false;
  bool csv = false;
  bool ascii = false;
  std::string html;     ///< Empty: none.
  std::string command;  ///< What was typed.

  int all_backends() const { return backends + added; }
};

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
//
// What was seen of one mode, at both ends.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "l4lb/observe/histogram.h"
#include "tools/skew/mode.h"
#include "tools/skew/observed.h"
#include "tools/skew/schedule.h"

namespace l4lb::skew {

/// What all clients did in one mode.
struct ClientTally {
  std::array<Histogram, kParts> latency_ns;  ///< By the part in which a request was due.
  uint64_t sent = 0;                         ///< Requests, each once.
  uint64_t answered = 0;
  uint64_t retries = 0;
  uint64_t errors = 0;  ///< Requests without an answer at the end, or after all retries.
  uint64_t cut = 0;     ///< Connections that were open, and that the other side ended.
};

struct ModeRun {
  Mode mode;
  Schedule schedule;
  Observed observed;
  ClientTally tally;
  std::string about;  ///< What was in the middle.
  bool interrupted = false;
};

}  // namespace l4lb::skew

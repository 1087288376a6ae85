// SPDX-License-Identifier: Apache-2.0
//
// What one session of churn is going to do.
#pragma once

#include <cstdint>

#include "tools/load/mix.h"
#include "tools/load/tally.h"

namespace l4lb::load {

/// What one session throws: the same for the same seed and session on every machine, whatever the
/// other sessions do.
class Chance {
 public:
  Chance(uint64_t seed, uint64_t session) : state_(Mixed(seed) ^ session) {}

  /// low .. high, both included.
  uint64_t Between(uint64_t low, uint64_t high) { return low + Next() % (high - low + 1); }
  /// The same, each order of magnitude as likely as another.  `low` > 0.
  uint64_t AnySize(uint64_t low, uint64_t high);
  bool OneIn(uint64_t n) { return Next() % n == 0; }

 private:
  uint64_t Next() { return state_ = Mixed(state_); }

  uint64_t state_;
};

struct ChurnPlan {
  Ending ending = Ending::finished;
  uint64_t bytes = 0;  ///< To be sent.
  uint64_t limit = 0;  ///< The one who ends early does so after so many bytes of this session.
  uint64_t chunk = 0;  ///< Most bytes of one send.
  bool by_received = false;  ///< client_reset, client_closed: `limit` counts what came back.
};

/// `with_backend`: the backend can be asked to end it.
ChurnPlan MakeChurnPlan(Chance& chance, bool with_backend);

}  // namespace l4lb::load

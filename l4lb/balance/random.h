// SPDX-License-Identifier: Apache-2.0
//
// The policies that leave the choice to chance: `random` and `p2c`.  Made by MakePolicy().
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"
#include "l4lb/balance/weighted_draw.h"

namespace l4lb {

/// One draw by weight.
class Random : public Policy {
 public:
  Random(absl::Span<const uint32_t> weights, uint64_t seed) : draw_(weights, seed) {}
  int Pick(const Candidates& candidates, uint64_t flow_key) override;
  void ContinueFrom(const Policy& previous) override;

 private:
  WeightedDraw draw_;
};

/// Power of two choices: two draws by weight of two different backends, of which the one with less
/// active sessions per weight is picked (Mitzenmacher, "The power of two choices in randomized load
/// balancing", 2001).  A tie takes the first drawn, so that in an idle pool every backend gets
/// exactly its share: the second draw, which cannot be the first again, is less often a heavy one.
class P2c : public Policy {
 public:
  P2c(absl::Span<const uint32_t> weights, uint64_t seed) : draw_(weights, seed) {}
  int Pick(const Candidates& candidates, uint64_t flow_key) override;
  void ContinueFrom(const Policy& previous) override;

 private:
  WeightedDraw draw_;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Least connections in its simplest form: every pick looks at every backend and keeps nothing.
#pragma once

#include "l4lb/balance/policy.h"
#include "l4lb/balance/rotation.h"
#include "tests/balance/pool_model.h"

namespace l4lb {

class LeastConnectionsModel {
 public:
  LeastConnectionsModel(const Weights& weights, PolicyStart start) : rotation_(weights, start) {}

  /// What is to be picked now.
  int Best(const Candidates& candidates) const {
    int best = Policy::kNone;
    for (int index = 0; index < rotation_.size(); ++index) {
      if (rotation_.weight(index) == 0 || !candidates.Eligible(index)) continue;
      if (best == Policy::kNone || Better(candidates, index, best)) best = index;
    }
    return best;
  }
  void Picked(int index) { rotation_.TakeAndWait(index); }
  void ContinueFrom(const LeastConnectionsModel& previous) {
    rotation_.ContinueFrom(previous.rotation_);
  }

 private:
  static int64_t Cost(const Candidates& candidates, int index) {
    const int64_t active = candidates.Active(index);
    return active == 0 ? 0 : active + 1;
  }
  bool Better(const Candidates& candidates, int a, int b) const {
    const int64_t score_a = Cost(candidates, a) * rotation_.weight(b);
    const int64_t score_b = Cost(candidates, b) * rotation_.weight(a);
    if (score_a != score_b) return score_a < score_b;
    return rotation_.turn(a) < rotation_.turn(b);
  }

  Rotation rotation_;
};

}  // namespace l4lb

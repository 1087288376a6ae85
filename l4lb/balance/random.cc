// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/random.h"

namespace l4lb {

int Random::Pick(const Candidates& candidates, uint64_t) { return draw_.Draw(candidates); }

void Random::ContinueFrom(const Policy& previous) {
  if (const auto* same = dynamic_cast<const Random*>(&previous)) draw_.ContinueFrom(same->draw_);
}

int P2c::Pick(const Candidates& candidates, uint64_t) {
  const int first = draw_.Draw(candidates);
  if (first == kNone) return kNone;
  const int second = draw_.DrawAnother(candidates, first);
  if (second == kNone) return first;
  const int64_t first_load = candidates.Active(first) * draw_.weight(second);
  const int64_t second_load = candidates.Active(second) * draw_.weight(first);
  return second_load < first_load ? second : first;
}

void P2c::ContinueFrom(const Policy& previous) {
  if (const auto* same = dynamic_cast<const P2c*>(&previous)) draw_.ContinueFrom(same->draw_);
}

}  // namespace l4lb

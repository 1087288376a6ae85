// SPDX-License-Identifier: Apache-2.0
//
// The age limit of a session: from its own age on it ends at the first quiet moment, or when the
// grace is over.  Looked at by its timer only; the byte path knows nothing of it.
#include <algorithm>

#include "l4lb/proxy/max_age.h"
#include "l4lb/proxy/session.h"

namespace l4lb {
namespace {

// No event tells that an answer came: how often to look for one, at most.
constexpr int64_t kLeastLookMs = 20;
// Nobody can tell which of two ends spoke last when both were read in one turn.  Then only a longer
// silence counts as one.
constexpr int64_t kUnsureTimes = 5;

}  // namespace

// The time until a look at the session is due for its age; 0: it is to end.
int64_t Session::AgeWaitMs() const {
  const AgeLimit& limit = host_.pool().snapshot().max_age;
  if (limit.age_ms == 0 || resetting_) return TimerWheel::kNever;
  const int64_t over_ms = now_ms() - started_ms_ - OwnAgeMs(limit, id_);
  if (over_ms < 0) return -over_ms;
  const int64_t grace_ms = std::max<int64_t>(limit.grace_ms - over_ms, 0);
  // One that is half closed is about to end anyway: what is left of it is the answer.
  return half_closed() ? grace_ms : std::min(grace_ms, QuietWaitMs(limit.quiet_ms));
}

// The time until the session may be quiet; 0: it is.
int64_t Session::QuietWaitMs(int64_t quiet_ms) const {
  const PumpOp& question = pump_from(kClient);
  const PumpOp& answer = pump_from(kBackend);
  const bool unsure =
      question.taken > 0 && answer.taken > 0 && question.taken_in_turn == answer.taken_in_turn;
  if (unsure) quiet_ms *= kUnsureTimes;
  const int64_t left_ms = LastMovedMs() + quiet_ms - now_ms();
  if (left_ms > 0) return left_ms;
  return (unsure || BackendSpokeLast()) && NothingUnderWay() ? 0 : std::max(quiet_ms, kLeastLookMs);
}

// Or nobody ever did.
bool Session::BackendSpokeLast() const {
  const PumpOp& question = pump_from(kClient);
  const PumpOp& answer = pump_from(kBackend);
  if (question.taken == 0) return true;
  return answer.taken > 0 &&
         static_cast<int32_t>(answer.taken_in_turn - question.taken_in_turn) > 0;
}

// As far as we and our kernel know.
bool Session::NothingUnderWay() const {
  for (const End end : {kClient, kBackend}) {
    if (pump_from(end).holding() || side(end).queue > 0) return false;
  }
  return engine().Unread(side(kClient).fd) == 0 && engine().Unread(side(kBackend).fd) == 0;
}

}  // namespace l4lb

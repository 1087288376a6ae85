// SPDX-License-Identifier: Apache-2.0
//
// The deadlines of a session.  One timer serves them all: it is armed for the earliest, and when it
// fires, the session looks at what moved since and arms it anew.  The byte path only stores
// PumpOp::moved_at_ms.
#include <errno.h>

#include <algorithm>

#include "l4lb/proxy/session.h"

namespace l4lb {

void Session::ArmIn(int64_t ms) { host_.context().timers.Arm(*this, now_ms() + ms); }

void Session::OnTimer(Timer& timer) {
  auto* session = &static_cast<Session&>(timer);
  if (session->pumping()) return session->CheckConnection();
  Chapter& chapter = *session->chapter();
  if (chapter.sleeping) {
    chapter.sleeping = false;
    chapter.run.resume();
  } else {
    session->timed_out_ = true;
    session->CancelOps();
  }
}

// Ends the session if a deadline has passed, else waits for the next one.
void Session::CheckConnection() {
  Refresh();
  if (ending() && !resetting_) return;
  Settle();
  if (LeftMs() <= 0) {
    if (resetting_) return CancelAll();
    return Close(half_closed() ? CloseReason::half_close_timeout : CloseReason::idle_timeout);
  }
  if (AgeWaitMs() == 0) return Close(CloseReason::max_age);
  Rearm();
}

void Session::ReviewDeadlines() {
  if (pumping() && !ending()) Rearm();
}

void Session::Rearm() {
  const int64_t dead_after_ms = host_.pool().snapshot().dead_after_ms;
  int64_t wait_ms = std::min(std::max<int64_t>(LeftMs(), 0), AgeWaitMs());
  if (dead_after_ms > 0) wait_ms = std::min(wait_ms, (dead_after_ms + 3) / 4);
  if (!settled_) wait_ms = std::min(wait_ms, kSettleMs);
  ArmIn(wait_ms);
}

// Accepted sockets inherit keepalive from the listening one; those that we make do not.
void Session::Settle() {
  if (settled_ || now_ms() - started_ms_ < connect_ms_ + kSettleMs) return;
  settled_ = true;
  if (pump_from(kBackend).first_at_ms != 0) lease_.backend()->CountAnswer();
  engine().SetKeepalive(side(kBackend).fd, host_.pool().snapshot().keepalive);
}

int64_t Session::LeftMs() const {
  const SessionSettings& settings = host_.settings();
  const int64_t limit_ms = resetting_      ? kResetLingerMs
                           : half_closed() ? settings.half_close_timeout_ms
                                           : settings.idle_timeout_ms;
  return LastMovedMs() + limit_ms - now_ms();
}

void Session::Refresh() {
  if (!pumping()) return;
  Look(kClient);
  Look(kBackend);
  Account();
}

// A send queue that shrank since the last look counts as movement; one that nothing is acknowledged
// of may mean that the peer is lost.  Costs no system call while nothing was sent.
void Session::Look(End end) {
  Side& s = side(end);
  if (s.queue == 0 && pump_from(Other(end)).bytes == side(Other(end)).delivered) return;
  const uint32_t queue = engine().Unacked(s.fd);
  if (queue < s.queue) moved_ms_ = now_ms();
  s.queue = queue;
  if (queue > 0 && IsLost(end)) OnFailed(end, ETIMEDOUT);
}

// A peer whose window is closed still answers our probes, so a paused reader is not lost.
bool Session::IsLost(End end) const {
  constexpr int kUnanswered = 3;
  const int64_t dead_after_ms = host_.pool().snapshot().dead_after_ms;
  if (dead_after_ms == 0) return false;
  const AckState state = engine().Acknowledgements(side(end).fd);
  return state.last_ack_ms >= dead_after_ms &&
         (state.retransmits >= kUnanswered || state.probes >= kUnanswered);
}

void Session::Account() {
  ListenerCounters& counters = host_.counters();
  for (const End end : {kClient, kBackend}) {
    const PumpOp& pump = pump_from(end);
    Side& s = side(end);
    Counter& taken = end == kClient ? counters.client_bytes_taken : counters.backend_bytes_taken;
    Counter& delivered =
        end == kClient ? counters.client_bytes_delivered : counters.backend_bytes_delivered;
    taken.Add(pump.taken - s.taken);
    delivered.Add(pump.bytes - s.delivered);
    s.taken = pump.taken;
    s.delivered = pump.bytes;
  }
}

}  // namespace l4lb

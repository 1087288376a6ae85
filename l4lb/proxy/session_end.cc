// SPDX-License-Identifier: Apache-2.0
//
// How the two ends of a session are closed.  A FIN of ours promises that everything was delivered;
// an end that was cut short is reset, but only after what was sent to it has left: a reset throws
// the send queue away.
#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/proxy/session.h"

namespace l4lb {
namespace {

constexpr int64_t kLongestLookMs = 100;

}  // namespace

// We end it in order to have its client connect anew, and it did nothing wrong.  So it is left the
// time to see our FIN and to finish, too: whatever it sends meanwhile meets no reset.
bool Session::parting() const {
  return reason_ == CloseReason::max_age || reason_ == CloseReason::rebalanced ||
         reason_ == CloseReason::drained;
}

// Somebody wants it to be gone: a reader that pauses cannot keep it.
bool Session::commanded() const {
  return reason_ == CloseReason::admin_closed || reason_ == CloseReason::backend_down ||
         reason_ == CloseReason::drained;
}

// Before the backend is closed: the client is to get its FIN first.
void Session::TellClient() {
  Side& client = side(kClient);
  if (!parting() || hurry_ || client.was_reset || client.given_fin || MustReset(kClient)) return;
  engine().Shutdown(client.fd);
  client.given_fin = true;
}

// Closes what can be closed.  The time until the next look, or 0 when nothing is left but, perhaps,
// a client that has sent what nobody read.
int64_t Session::CloseEnds() {
  const int64_t backend_ms = CloseOrWait(kBackend);
  const int64_t client_ms = CloseOrWait(kClient);
  return backend_ms == 0  ? client_ms
         : client_ms == 0 ? backend_ms
                          : std::min(backend_ms, client_ms);
}

int64_t Session::CloseOrWait(End end) {
  Side& s = side(end);
  if (s.fd < 0) return 0;
  if (s.was_reset) {
    CloseNow(end, CloseKind::kReset);
    return 0;
  }
  const bool reset = MustReset(end);
  const int64_t waiting = hurry_ ? 0 : reset ? engine().Unacked(s.fd) : engine().Unsent(s.fd);
  if (waiting == 0) {
    const bool drop = end == kClient && !reset && !hurry_ && !s.finished &&
                      (parting() || engine().Unread(s.fd) > 0);
    if (!drop) CloseNow(end, reset ? CloseKind::kReset : CloseKind::kFin);
    return 0;
  }
  if (!reset && !s.given_fin) {
    engine().Shutdown(s.fd);
    s.given_fin = true;
  }
  if (waiting < s.queue) moved_ms_ = now_ms();
  s.queue = waiting;
  const int64_t limit_ms =
      reset || commanded() ? kResetLingerMs : host_.settings().half_close_timeout_ms;
  const int64_t silent_ms = now_ms() - moved_ms_;
  if (silent_ms >= limit_ms || engine().Acknowledgements(s.fd).closed || IsLost(end)) {
    CloseNow(end, CloseKind::kReset);
    return 0;
  }
  // No event tells that a send queue is empty: look often at first, then less.
  return std::min({std::max<int64_t>(silent_ms, 1), kLongestLookMs, limit_ms - silent_ms});
}

// Whether what `end` got from the other one is not all that the other one sent.
bool Session::MustReset(End end) const {
  const Side& other = side(Other(end));
  if (side(end).given_fin) return false;
  return !connected() || other.was_reset || other.cut;
}

// Closing a socket with unread input resets it, and what was sent may never be read: so the
// client's input is read and dropped first, within limits.
void Session::BeginDrop() {
  engine().Shutdown(side(kClient).fd);
  ReadOp& drop = std::get<Closing>(phase_).drop;
  drop.fd = side(kClient).fd;
  drop.capacity = kDropBytes;
  Bind<&Session::OnOpEnded>(static_cast<Op&>(drop), this);
  ArmIn(kDropMs);
}

// After a read: whether there may be more to drop, and still is leave to.
bool Session::DropMore() {
  ReadOp& drop = std::get<Closing>(phase_).drop;
  host_.counters().client_bytes_taken.Add(drop.size);
  side(kClient).taken += drop.size;
  drop.capacity -= drop.size;
  return drop.error == 0 && drop.size > 0 && drop.capacity > 0;
}

void Session::CloseNow(End end, CloseKind kind) {
  engine().Close(side(end).fd, kind);
  side(end).fd = -1;
}

void Session::Finish() {
  WorkerContext& context = host_.context();
  context.timers.Disarm(*this);
  ListenerCounters& counters = host_.counters();
  counters.client_bytes_dropped.Add(side(kClient).taken - side(kClient).delivered);
  counters.backend_bytes_dropped.Add(side(kBackend).taken - side(kBackend).delivered);
  counters.closed.Add();
  counters.closed_by_reason[static_cast<size_t>(reason_)].Add();
  SessionRecord record = Record();
  host_.timings().Observe(record);
  host_.pool().timings().Observe(record);
  if (context.access_log != nullptr) {
    record.end_unix_ms = absl::ToUnixMillis(absl::Now());
    if (!context.access_log->Append(context.index, record)) {
      context.counters.access_log_dropped.Add();
    }
  }
  lease_.Release();
  host_.OnSessionEnded(*this);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The pump of EpollEngine.  A step either delivers what is held, or, when nothing is held, fills
// from `from`; both come in a copying and a splicing form.  What was filled is delivered at once,
// so that between turns a pump holds something only if `to` was full.
#include <errno.h>
#include <sys/socket.h>

#include <utility>

#include "l4lb/engine/bulk_mode.h"
#include "l4lb/engine/epoll_engine.h"
#include "l4lb/engine/pump_progress.h"

namespace l4lb {
struct EpollEngine::PumpState {
  enum class Held : uint8_t { kNothing, kPrefix, kBuffer, kPipe };

  // What it holds: nothing while it is idle.
  union {
    const char* prefix = nullptr;
    char* buffer;  // From buffers_; kept between turns only with bytes in it, or when it was just
                   // handed over.
    Pipe* pipe;    // From splicer_, while it has bytes in it.
  };
  uint32_t begin = 0;  // Of the bytes read and not yet delivered, in prefix or buffer.
  uint32_t size = 0;   // How many these are.
  Held held = Held::kNothing;
  BulkMode mode;
  bool at_end = false;  // `from` gave its FIN.

  bool holds() const { return size > 0 || held == Held::kPipe; }
  const char* bytes() const { return (held == Held::kPrefix ? prefix : buffer) + begin; }
};

void EpollEngine::Pump(PumpOp& op, std::string_view prefix) {
  Start(op);
  StartPump(op, prefix.size());
  PumpState& state = op.scratch.Make<PumpState>();
  if (!prefix.empty()) {
    state.held = PumpState::Held::kPrefix;
    state.prefix = prefix.data();
    state.size = static_cast<uint32_t>(prefix.size());
  }
  Occupy(fds_, op, &op);
  int error = Register(op.from, kConnected);
  if (error == 0) error = Register(op.to, kConnected);
  if (error != 0) {
    op.failed = PumpOp::End::kFrom;
    return Finish(op, error);
  }
  const EpollFd& from = Entry(op.from);
  if (state.holds() || from.readable || Entry(op.to).hung_up) MakeRunnable(op);
}

void EpollEngine::AdvancePump(PumpOp& op) {
  PumpState& state = op.scratch.As<PumpState>();
  const Step last =
      TakeSteps(op, [&] { return state.holds() ? Deliver(op, state) : Fill(op, state); });
  if (last == Step::kWait && Entry(op.from).error) NoteReset(op);
}

EpollEngine::Step EpollEngine::EndPump(PumpOp& op, PumpOp::End end, int error) {
  op.failed = end;
  Finish(op, error);
  return Step::kEnded;
}

EpollEngine::Step EpollEngine::Deliver(PumpOp& op, PumpState& state) {
  if (Entry(op.to).blocked) return Step::kWait;
  return state.size > 0 ? DeliverBuffer(op, state) : DeliverPipe(op, state);
}

EpollEngine::Step EpollEngine::CannotDeliver(PumpOp& op, int error) {
  if (error == EINTR) return Step::kMoved;
  if (error != EAGAIN) return EndPump(op, PumpOp::End::kTo, error);
  Block(op.to);
  return Step::kWait;
}

EpollEngine::Step EpollEngine::DeliverBuffer(PumpOp& op, PumpState& state) {
  // When a FIN stands behind these bytes, both go in one packet: the next read meets either the
  // FIN, which the owner passes on in this turn, or more bytes.  Not when `to` has finished, too:
  // then the owner closes it, and would find these bytes unsent.
  const EpollFd& from = Entry(op.from);
  const int more = from.finished && !from.error && !Entry(op.to).finished ? MSG_MORE : 0;
  const ssize_t n = ::send(op.to, state.bytes(), state.size, MSG_NOSIGNAL | MSG_DONTWAIT | more);
  if (n < 0) return CannotDeliver(op, errno);
  NoteDelivered(op, n, now_ms_);
  state.begin += n;
  state.size -= n;
  stats_.copied_bytes += n;
  if (state.size > 0) {
    Block(op.to);
    return Step::kWait;
  }
  Release(state);
  return Step::kMoved;
}

EpollEngine::Step EpollEngine::DeliverPipe(PumpOp& op, PumpState& state) {
  const int error = splicer_.Deliver(op, *state.pipe, now_ms_);
  // A short splice need not mean that the socket is full: only EAGAIN makes it tell when it is not.
  if (error != 0) return CannotDeliver(op, error);
  if (state.pipe->held == 0) Release(state);
  return Step::kMoved;
}

EpollEngine::Step EpollEngine::Fill(PumpOp& op, PumpState& state) {
  if (state.at_end) return EndPump(op, PumpOp::End::kNone, 0);
  if (!Entry(op.from).readable) {
    // Nothing can be delivered any more, and nothing is held: say so now, not at the next byte.
    if (IsBroken(op.to)) return EndPump(op, PumpOp::End::kTo, EPIPE);
    return Step::kWait;
  }
  state.mode.OnSilence(now_ms_ - op.moved_at_ms);
  return state.mode.bulk() ? FillPipe(op, state) : FillBuffer(op, state);
}

EpollEngine::Step EpollEngine::FillBuffer(PumpOp& op, PumpState& state) {
  if (!TakeBuffer(op, state)) return Step::kWait;
  const size_t capacity = buffers_.buffer_bytes();
  const ssize_t n = ::recv(op.from, state.buffer, capacity, MSG_DONTWAIT);
  if (n > 0) {
    EpollFd& from = Entry(op.from);
    if (static_cast<size_t>(n) < capacity && !from.unread_mark) from.readable = false;
    NoteTaken(op, n, now_ms_, stats_);
    if (static_cast<size_t>(n) < capacity && !state.mode.bulk()) splicer_.NoteSmallMessage(now_ms_);
    state.mode.OnCopy(n, capacity);
    state.begin = 0;
    state.size = n;
    return Step::kMoved;
  }
  const int error = n < 0 ? errno : 0;
  Release(state);
  if (n == 0) {
    state.at_end = true;
    return EndPump(op, PumpOp::End::kNone, 0);
  }
  if (error == EINTR) return Step::kMoved;
  if (error != EAGAIN) return EndPump(op, PumpOp::End::kFrom, error);
  EpollFd& from = Entry(op.from);
  from.readable = from.unread_mark = false;
  return Step::kWait;
}

EpollEngine::Step EpollEngine::FillPipe(PumpOp& op, PumpState& state) {
  const Splicer::Filled filled = splicer_.Fill(op, now_ms_);
  switch (filled.outcome) {
    case Splicer::Outcome::kMoved:
      Release(state);  // It may have been handed a buffer.
      state.pipe = filled.pipe;
      state.held = PumpState::Held::kPipe;
      state.mode.OnSplice(filled.pipe->held);
      return Step::kMoved;
    case Splicer::Outcome::kFailed:
      return EndPump(op, PumpOp::End::kFrom, filled.error);
    case Splicer::Outcome::kCannot:
      state.mode.Forbid();
      break;
    case Splicer::Outcome::kEmpty:
    case Splicer::Outcome::kNoPipe:
      break;
  }
  return FillBuffer(op, state);
}

bool EpollEngine::TakeBuffer(PumpOp& op, PumpState& state) {
  if (state.held == PumpState::Held::kBuffer) return true;
  if (char* const buffer = buffers_.Take()) {
    state.buffer = buffer;
    state.held = PumpState::Held::kBuffer;
    return true;
  }
  ++stats_.buffer_waits;
  op.engine_flags |= kWantsBuffer;
  want_buffer_.Push(op);
  return false;
}

void EpollEngine::GiveBuffer(char* buffer) {
  if (want_buffer_.empty()) return buffers_.Give(buffer);
  // Handed over, not put back: nobody can overtake the first who waits.
  auto& first = static_cast<PumpOp&>(want_buffer_.Pop());
  first.engine_flags &= ~kWantsBuffer;
  PumpState& state = first.scratch.As<PumpState>();
  state.buffer = buffer;
  state.held = PumpState::Held::kBuffer;
  MakeRunnable(first);
}

// A pipe with bytes in it is closed: see PipePool::Give().
void EpollEngine::Release(PumpState& state) {
  const PumpState::Held held = std::exchange(state.held, PumpState::Held::kNothing);
  if (held == PumpState::Held::kBuffer) GiveBuffer(state.buffer);
  if (held == PumpState::Held::kPipe) splicer_.Give(state.pipe);
}

void EpollEngine::ReleasePump(PumpOp& op) { Release(op.scratch.As<PumpState>()); }

}  // namespace l4lb

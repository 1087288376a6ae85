// SPDX-License-Identifier: Apache-2.0
//
// The pump of UringEngine.  A step either delivers what is held, or, when nothing is held, fills
// from `from`.  A small message is sent by a request that goes with the turn's system call, as does
// the receive of the next one; everything larger by system calls of its own, as on epoll.
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "glog/logging.h"
#include "l4lb/engine/pump_progress.h"
#include "l4lb/engine/uring_engine.h"
#include "l4lb/engine/uring_pump_state.h"

namespace l4lb {
namespace {

// A splice that brought less has probably emptied the socket.
constexpr size_t kWorthAnother = 64 << 10;

}  // namespace

void UringEngine::Pump(PumpOp& op, std::string_view prefix) {
  Start(op);
  StartPump(op, prefix.size());
  PumpState& state = op.scratch.Make<PumpState>();
  if (!prefix.empty()) {
    state.held = PumpState::Held::kPrefix;
    state.prefix = prefix.data();
    state.size = static_cast<uint32_t>(prefix.size());
  }
  Occupy(fds_, op, &op);
  MakeRunnable(op);
}

void UringEngine::AdvancePump(PumpOp& op) {
  PumpState& state = op.scratch.As<PumpState>();
  if (state.ending) return JoinPump(op, state);
  const Step last =
      TakeSteps(op, [&] { return state.holds() ? Deliver(op, state) : Fill(op, state); });
  if (last == Step::kWait && Entry(op.from).error) NoteReset(op);
}

void UringEngine::Decide(PumpOp& op, PumpOp::End end, int error) {
  PumpState& state = op.scratch.As<PumpState>();
  if (state.ending) return;
  state.ending = true;
  op.failed = end;
  op.error = error;
}

UringEngine::Step UringEngine::EndPump(PumpOp& op, PumpOp::End end, int error) {
  Decide(op, end, error);
  JoinPump(op, op.scratch.As<PumpState>());
  return Step::kEnded;
}

void UringEngine::CancelPump(PumpOp& op) {
  Decide(op, PumpOp::End::kNone, ECANCELED);
  PumpState& state = op.scratch.As<PumpState>();
  if (state.requests == 0) return MakeRunnable(op);
  JoinPump(op, state);
}

void UringEngine::JoinPump(PumpOp& op, PumpState& state) {
  if (state.requests == 0) {
    Release(state);
    Finish(op, op.error);
    if (NeedsWatch(op.from)) WatchSoon(op.from);
    return;
  }
  if (state.cancelling) return;
  state.cancelling = true;
  if ((state.requests & PumpState::kReceive) != 0) ring_->Cancel(Tag(op, Request::kReceive));
  if ((state.requests & PumpState::kReadable) != 0) ring_->Cancel(Tag(op, Request::kReadable));
}

UringEngine::Step UringEngine::Deliver(PumpOp& op, PumpState& state) {
  if ((state.requests & PumpState::kSend) != 0) return Step::kWait;
  if (Entry(op.to).blocked) {
    if (NeedsWatch(op.from)) WatchSoon(op.from);
    return Step::kWait;
  }
  if (state.held == PumpState::Held::kPipe) return DeliverPipe(op, state);
  const bool small = state.held == PumpState::Held::kBuffer &&
                     state.begin + state.size <= buffers_->buffer_bytes() / kSmallShare;
  if (small && !state.large && !state.at_end && !state.mode.bulk()) {
    return SendWithTheTurn(op, state);
  }
  return DeliverBuffer(op, state);
}

// Never waits, and completes only if it was not whole: when the system call that takes it has
// returned, and told nothing, all is sent.
UringEngine::Step UringEngine::SendWithTheTurn(PumpOp& op, PumpState& state) {
  io_uring_sqe& sqe = ring_->Add(IORING_OP_SEND, op.to, Tag(op, Request::kSend));
  sqe.addr = reinterpret_cast<uint64_t>(state.bytes());
  sqe.len = state.size;
  sqe.msg_flags = MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL;
  sqe.flags = IOSQE_CQE_SKIP_SUCCESS;
  state.requests |= PumpState::kSend;
  sending_.push_back(&op);
  return (state.requests & PumpState::kReceive) == 0 ? Receive(op, state) : Step::kWait;
}

void UringEngine::EndSends() {
  for (PumpOp* const op : sending_) {
    PumpState& state = op->scratch.As<PumpState>();
    if ((state.requests & PumpState::kSend) == 0) continue;
    SendSucceeded(*op, state);
    if (state.requests != PumpState::kReceive || state.ending) MakeRunnable(*op);
  }
  sending_.clear();
}

void UringEngine::SendSucceeded(PumpOp& op, PumpState& state) {
  state.requests &= ~PumpState::kSend;
  stats_.copied_bytes += state.size;
  // Not when we heard of it: the turn may have waited for long in between.
  NoteDelivered(op, std::exchange(state.size, 0), submitted_at_ms_);
  Release(state);
}

// It was not whole.
void UringEngine::OnSend(PumpOp& op, int32_t result) {
  PumpState& state = op.scratch.As<PumpState>();
  state.requests &= ~PumpState::kSend;
  MakeRunnable(op);
  if (result < 0 && result != -EAGAIN && result != -EINTR) {
    return Decide(op, PumpOp::End::kTo, -result);
  }
  if (result > 0) {
    stats_.copied_bytes += result;
    NoteDelivered(op, result, now_ms_);
    state.begin += result;
    state.size -= result;
  }
  Block(op.to);
}

UringEngine::Step UringEngine::CannotDeliver(PumpOp& op, int error) {
  if (error == EINTR) return Step::kMoved;
  if (error != EAGAIN) return EndPump(op, PumpOp::End::kTo, error);
  Block(op.to);
  if (NeedsWatch(op.from)) WatchSoon(op.from);
  return Step::kWait;
}

UringEngine::Step UringEngine::DeliverBuffer(PumpOp& op, PumpState& state) {
  // The FIN behind these bytes goes with them in one packet: the owner passes it on in this turn.
  // Not when `to` has finished, too: then the owner closes it, and would find these bytes unsent.
  const int more = state.at_end && op.error == 0 && !Entry(op.to).finished ? MSG_MORE : 0;
  const ssize_t n = ::send(op.to, state.bytes(), state.size, MSG_NOSIGNAL | MSG_DONTWAIT | more);
  if (n < 0) return CannotDeliver(op, errno);
  stats_.copied_bytes += n;
  NoteDelivered(op, n, now_ms_);
  state.begin += n;
  state.size -= n;
  if (state.size > 0) return CannotDeliver(op, EAGAIN);
  // The next bytes are probably there, and nobody waits for the buffer.
  const bool keep = state.held == PumpState::Held::kBuffer && state.large && !state.drained &&
                    !state.at_end && want_buffer_.empty();
  if (!keep) Release(state);
  return Step::kMoved;
}

UringEngine::Step UringEngine::DeliverPipe(PumpOp& op, PumpState& state) {
  const int error = splicer_.Deliver(op, *state.pipe, now_ms_);
  // A short splice need not mean that the socket is full: only EAGAIN makes it tell when it is not.
  if (error != 0) return CannotDeliver(op, error);
  if (state.pipe->held == 0) Release(state);
  return Step::kMoved;
}

UringEngine::Step UringEngine::Fill(PumpOp& op, PumpState& state) {
  if (state.at_end) {
    return EndPump(op, op.error != 0 ? PumpOp::End::kFrom : PumpOp::End::kNone, op.error);
  }
  // Nothing can be delivered any more, and nothing is held: say so now, not at the next byte.
  if (IsBroken(op.to)) return EndPump(op, PumpOp::End::kTo, EPIPE);
  if (Entry(op.to).reader == nullptr) WatchSoon(op.to);
  if (state.requests != 0) return Step::kWait;
  state.mode.OnSilence(now_ms_ - op.moved_at_ms);
  if (state.mode.bulk()) return FillPipe(op, state);
  const bool has_buffer = state.held == PumpState::Held::kBuffer;
  return has_buffer || (state.large && !state.drained) ? ReceiveNow(op, state) : Receive(op, state);
}

UringEngine::Step UringEngine::FillPipe(PumpOp& op, PumpState& state) {
  if (!state.readable) {
    Release(state);
    state.requests |= PumpState::kReadable;
    ring_->AddPoll(op.from, POLLIN, Tag(op, Request::kReadable));
    return Step::kWait;
  }
  const bool polled = state.polled;
  state.polled = false;
  const Splicer::Filled filled = splicer_.Fill(op, now_ms_);
  switch (filled.outcome) {
    case Splicer::Outcome::kMoved:
      Release(state);  // It may have kept a buffer.
      state.pipe = filled.pipe;
      state.held = PumpState::Held::kPipe;
      state.readable = filled.pipe->held >= kWorthAnother;
      state.mode.OnSplice(filled.pipe->held);
      return Step::kMoved;
    case Splicer::Outcome::kEmpty:
      // Where the kernel has just said that there is something, recv must find out what it is.
      state.readable = polled;
      return polled ? ReceiveNow(op, state) : Step::kMoved;
    case Splicer::Outcome::kFailed:
      EndPump(op, PumpOp::End::kFrom, filled.error);
      Entry(op.from).error = true;
      NoteBroken(op.from);
      return Step::kEnded;
    case Splicer::Outcome::kCannot:
      state.mode.Forbid();
      break;
    case Splicer::Outcome::kNoPipe:
      break;
  }
  return ReceiveNow(op, state);
}

void UringEngine::OnReadable(PumpOp& op) {
  PumpState& state = op.scratch.As<PumpState>();
  state.requests &= ~PumpState::kReadable;
  state.readable = state.polled = true;
  MakeRunnable(op);
}

// A pipe with bytes in it is closed: see PipePool::Give().
void UringEngine::Release(PumpState& state) {
  const PumpState::Held held = std::exchange(state.held, PumpState::Held::kNothing);
  if (held == PumpState::Held::kBuffer) GiveBuffer(state.buffer_id);
  if (held == PumpState::Held::kPipe) splicer_.Give(state.pipe);
}

}  // namespace l4lb

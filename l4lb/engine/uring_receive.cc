// SPDX-License-Identifier: Apache-2.0
//
// How a pump of UringEngine receives: by a request that brings a buffer along when there are bytes,
// so that an idle pump has none.
//
// A receive that is in flight while bytes are held (they are being sent, or could not be) must fit
// behind them, so that a pump never holds more than one buffer: it is limited to what is left when
// at most a quarter is held.
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "glog/logging.h"
#include "l4lb/engine/pump_progress.h"
#include "l4lb/engine/uring_engine.h"
#include "l4lb/engine/uring_pump_state.h"

namespace l4lb {

UringEngine::Step UringEngine::Receive(PumpOp& op, PumpState& state) {
  const auto whole = static_cast<uint32_t>(buffers_->buffer_bytes());
  io_uring_sqe& sqe = ring_->Add(IORING_OP_RECV, op.from, Tag(op, Request::kReceive));
  sqe.flags = IOSQE_BUFFER_SELECT;
  sqe.buf_group = UringBuffers::kGroup;
  const bool many = !state.large && capped_receives_;
  // Never of many: Linux (6.18) may miss for ever what came just before, also a reset.
  if (state.drained && !many) sqe.ioprio |= IORING_RECVSEND_POLL_FIRST;
  if (state.large) {
    sqe.len = whole;
  } else if (many) {
    // Many small messages by one request.  It ends with the message that reaches the cap.
    sqe.len = whole / kSmallShare;
    sqe.ioprio |= IORING_RECV_MULTISHOT;
    SetReceiveCap(sqe, whole / 2);
  } else {
    sqe.len = whole / 2;
  }
  state.requests |= PumpState::kReceive;
  return Step::kWait;
}

void UringEngine::OnReceive(PumpOp& op, int32_t result, uint32_t flags) {
  PumpState& state = op.scratch.As<PumpState>();
  if ((flags & IORING_CQE_F_MORE) == 0) state.requests &= ~PumpState::kReceive;
  // The kernel took the send before it worked on receives: had it failed, we knew.
  if ((state.requests & PumpState::kSend) != 0) SendSucceeded(op, state);
  if (result > 0) {
    Received(op, state, static_cast<size_t>(result), flags);
  } else {
    if ((flags & IORING_CQE_F_BUFFER) != 0) GiveBuffer(buffers_->Claim(flags));
    ReceivedNone(op, state, -result);
  }
  MakeRunnable(op);
}

void UringEngine::Received(PumpOp& op, PumpState& state, size_t bytes, uint32_t flags) {
  const uint16_t id = buffers_->Claim(flags);
  NoteReceived(op, state, bytes, (flags & IORING_CQE_F_SOCK_NONEMPTY) != 0);
  if (!state.ending && !state.holds()) {
    HandOver(state, id);
    state.size = static_cast<uint32_t>(bytes);
    return;
  }
  if (!state.ending) {
    DCHECK_LE(state.begin + state.size + bytes, buffers_->buffer_bytes());
    ::memcpy(state.buffer + state.begin + state.size, buffers_->At(id), bytes);
    state.size += static_cast<uint32_t>(bytes);
  } else if (!state.holds() && op.failed != PumpOp::End::kTo) {
    // It was on its way when the pump was cancelled: not lost if there is room for it.
    const ssize_t n = ::send(op.to, buffers_->At(id), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) NoteDelivered(op, n, now_ms_);
    if (n > 0) stats_.copied_bytes += n;
  }
  GiveBuffer(id);
}

void UringEngine::NoteReceived(PumpOp& op, PumpState& state, size_t bytes, bool more) {
  const size_t whole = buffers_->buffer_bytes();
  NoteTaken(op, bytes, now_ms_, stats_);
  if (bytes < whole && !state.mode.bulk()) splicer_.NoteSmallMessage(now_ms_);
  state.large = bytes >= whole / kSmallShare;
  state.drained = !more;
  state.readable = more;
  // A limited receive that left something behind would have filled more than it was allowed to.
  state.mode.OnCopy(state.large && more ? whole : bytes, whole);
}

// The end, or why there is nothing.
void UringEngine::ReceivedNone(PumpOp& op, PumpState& state, int error) {
  if (state.ending) return;
  UringFd& from = Entry(op.from);
  switch (error) {
    case ENOBUFS:
      // What is held goes first.
      if (state.holds() || buffers_->PublishMore()) return;
      // In a queue already: it fails again when its turn comes, and waits then.
      if ((op.engine_flags & kQueued) != 0) return;
      ++stats_.buffer_waits;
      op.engine_flags |= kWantsBuffer;
      want_buffer_.Push(op);
      return;
    case ECANCELED:
    case EAGAIN:
    case EINTR:
    case ENOMEM:
      return;
    case 0:
      from.finished = true;
      // A reset that was told to the sibling, which has still to say so, is no clean end.
      if (from.writer != nullptr && from.writer->kind == Op::Kind::kPump) {
        const auto& sibling = static_cast<PumpOp&>(*from.writer);
        if (sibling.failed == PumpOp::End::kTo) op.error = ECONNRESET;
      }
      state.at_end = true;
      return;
    default:
      op.error = error;
      state.at_end = true;
      from.error = true;
      NoteBroken(op.from);
  }
}

// When there probably is something, or when the pump had to wait for a buffer.
UringEngine::Step UringEngine::ReceiveNow(PumpOp& op, PumpState& state) {
  if (state.held != PumpState::Held::kBuffer && !TakeBuffer(state)) return Receive(op, state);
  const size_t whole = buffers_->buffer_bytes();
  const ssize_t n = ::recv(op.from, state.buffer, whole, MSG_DONTWAIT);
  if (n > 0) {
    NoteReceived(op, state, n, static_cast<size_t>(n) == whole);
    state.begin = 0;
    state.size = static_cast<uint32_t>(n);
    return Step::kMoved;
  }
  const int error = n < 0 ? errno : 0;
  if (error == EINTR) return Step::kMoved;
  Release(state);
  state.drained = true;
  state.readable = false;
  if (error == EAGAIN) return Step::kMoved;
  ReceivedNone(op, state, error);
  MakeRunnable(op);
  return Step::kWait;
}

bool UringEngine::TakeBuffer(PumpState& state) {
  const int id = buffers_->Take();
  if (id < 0) return false;
  HandOver(state, static_cast<uint16_t>(id));
  return true;
}

void UringEngine::HandOver(PumpState& state, uint16_t id) {
  state.held = PumpState::Held::kBuffer;
  state.buffer = buffers_->At(id);
  state.buffer_id = id;
  state.begin = 0;
}

void UringEngine::GiveBuffer(uint16_t id) {
  if (want_buffer_.empty()) return buffers_->Give(id);
  // Handed over, not put back: nobody can overtake the first who waits.
  auto& first = static_cast<PumpOp&>(want_buffer_.Pop());
  first.engine_flags &= ~kWantsBuffer;
  HandOver(first.scratch.As<PumpState>(), id);
  MakeRunnable(first);
}

}  // namespace l4lb

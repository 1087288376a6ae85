// SPDX-License-Identifier: Apache-2.0
//
// FakeEngine: how each kind of op goes on.
#include <errno.h>

#include <algorithm>
#include <utility>

#include "glog/logging.h"
#include "l4lb/engine/pump_progress.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_flight.h"

namespace l4lb {

/// The turn in which a thing that happens now is seen.
uint64_t FakeEngine::LateTurn() {
  if (!dice_.Chance(options_.faults.late)) return turn_;
  return turn_ + 1 + dice_.Below(static_cast<uint64_t>(options_.faults.max_late_turns));
}

void FakeEngine::End(Flight& flight, int error) {
  flight.ended = true;
  flight.error = error;
  flight.done_turn = ended_.empty() ? LateTurn() : std::max(LateTurn(), ended_.back()->done_turn);
  ended_.push_back(&flight);
  ReleaseBuffer(flight);
}

size_t FakeEngine::Partly(size_t size) {
  return size > 1 && dice_.Chance(options_.faults.partial) ? 1 + dice_.Below(size - 1) : size;
}

bool FakeEngine::Step(Flight& flight) {
  CheckIntact(flight);
  bool happened = false;
  if (!flight.ended && flight.cancelled && flight.cancel_turn <= turn_) {
    CancelNow(flight);
    happened = true;
  } else if (!flight.ended && may_stall_ && dice_.Chance(options_.faults.stall)) {
    stalled_ = true;
  } else if (!flight.ended) {
    switch (flight.kind) {
      case Op::Kind::kAccept:
        happened = StepAccept(flight);
        break;
      case Op::Kind::kConnect:
        happened = StepConnect(flight);
        break;
      case Op::Kind::kPump:
        happened = StepPump(flight);
        break;
      case Op::Kind::kWatch:
        happened = StepWatch(flight);
        break;
      case Op::Kind::kSend:
        happened = StepSend(flight);
        break;
      case Op::Kind::kRead:
        happened = StepRead(flight);
        break;
      case Op::Kind::kWait:
        LOG(FATAL) << "no op of an engine";
    }
  }
  done_is_due_ |= flight.ended ? flight.done_turn > turn_ : flight.cancelled;
  return happened;
}

void FakeEngine::CancelNow(Flight& flight) {
  if (flight.kind == Op::Kind::kAccept && static_cast<AcceptOp&>(*flight.op).empty_backlog) {
    while (!flight.ended && StepAccept(flight)) continue;
  }
  if (!flight.ended) End(flight, ECANCELED);
}

bool FakeEngine::StepAccept(Flight& flight) {
  auto& op = static_cast<AcceptOp&>(*flight.op);
  FakeListener& listener = fds_.listener(op.listen_fd);
  for (int i = 0; i < kStepsPerTurn; ++i) {
    if (listener.waiting.empty()) return i > 0;
    if (fds_.full()) {
      End(flight, EMFILE);
      return true;
    }
    FakeSocket* socket = network_.Accept(listener);
    op.accepted(op, fds_.Open(*socket), socket->remote);
  }
  return true;
}

bool FakeEngine::StepConnect(Flight& flight) {
  if (flight.connect_at_ms > now_ms_) return false;
  auto& op = static_cast<ConnectOp&>(*flight.op);
  int error = flight.connect_error;
  FakeSocket* socket =
      error == 0 ? network_.Connect(*op.peer, options_.sockets, &error, op.source) : nullptr;
  if (error == EAGAIN) {  // Its backlog is full: the SYN is lost and sent again.
    flight.connect_at_ms = now_ms_ + 1000;
    return false;
  }
  if (error == 0) op.fd = fds_.Open(*socket);
  End(flight, error);
  return true;
}

bool FakeEngine::StepWatch(Flight& flight) {
  const FakeSocket& socket = fds_.socket(static_cast<WatchOp&>(*flight.op).fd);
  if (!socket.hung_up() && !socket.error_pending()) return false;
  End(flight, 0);
  return true;
}

bool FakeEngine::StepSend(Flight& flight) {
  auto& op = static_cast<SendOp&>(*flight.op);
  const std::string_view rest = op.data.substr(op.sent);
  const int64_t sent =
      rest.empty() ? 0 : fds_.socket(op.fd).Send(rest.substr(0, Partly(rest.size())));
  if (sent == -EAGAIN) return false;
  if (sent > 0) op.sent += static_cast<size_t>(sent);
  if (sent < 0 || op.sent == op.data.size()) End(flight, sent < 0 ? static_cast<int>(-sent) : 0);
  return true;
}

bool FakeEngine::StepRead(Flight& flight) {
  auto& op = static_cast<ReadOp&>(*flight.op);
  const int64_t got = fds_.socket(op.fd).Receive(op.data, Partly(op.capacity));
  if (got == -EAGAIN) return false;
  if (got > 0) op.size = static_cast<size_t>(got);
  End(flight, got < 0 ? static_cast<int>(-got) : 0);
  return true;
}

bool FakeEngine::StepPump(Flight& flight) {
  auto& op = static_cast<PumpOp&>(*flight.op);
  bool happened = false;
  for (int i = 0; i < kStepsPerTurn && !flight.ended; ++i) {
    if (flight.held.empty() ? !PumpTake(flight, op) : !PumpDeliver(flight, op)) break;
    happened = true;
  }
  PumpNoticeReset(flight, op);
  return happened;
}

bool FakeEngine::PumpEnd(Flight& flight, PumpOp::End end, int error) {
  if (error != 0) static_cast<PumpOp&>(*flight.op).failed = end;
  End(flight, error);
  return true;
}

bool FakeEngine::PumpTake(Flight& flight, PumpOp& op) {
  FakeSocket& from = fds_.socket(op.from);
  if (from.unread() > 0 && !MayTakeBuffer(flight)) return false;
  const size_t wanted = std::min(options_.buffer_bytes, std::max<size_t>(from.unread(), 1));
  std::string bytes(Partly(wanted), '\0');
  const int64_t got = from.Receive(bytes.data(), bytes.size());
  if (got == -EAGAIN) {
    return fds_.socket(op.to).hung_up() && PumpEnd(flight, PumpOp::End::kTo, EPIPE);
  }
  if (got <= 0) return PumpEnd(flight, PumpOp::End::kFrom, static_cast<int>(-got));
  NoteTaken(op, static_cast<size_t>(got), now_ms_, stats_);
  bytes.resize(static_cast<size_t>(got));
  Corrupt(bytes);
  flight.held = std::move(bytes);
  flight.has_buffer = !flight.held.empty();
  stats_.buffers_in_use += flight.has_buffer;
  return true;
}

bool FakeEngine::PumpDeliver(Flight& flight, PumpOp& op) {
  const std::string_view held(flight.held);
  const int64_t sent = fds_.socket(op.to).Send(held.substr(0, Partly(held.size())));
  if (sent == -EAGAIN) return false;
  if (sent < 0) return PumpEnd(flight, PumpOp::End::kTo, static_cast<int>(-sent));
  NoteDelivered(op, static_cast<size_t>(sent), now_ms_);
  stats_.copied_bytes += static_cast<uint64_t>(sent);
  flight.held.erase(0, static_cast<size_t>(sent));
  if (flight.held.empty()) ReleaseBuffer(flight);
  return true;
}

void FakeEngine::PumpNoticeReset(Flight& flight, PumpOp& op) {
  if (flight.ended || flight.held.empty() || op.from_was_reset) return;
  if (!fds_.socket(op.from).error_pending()) return;
  op.from_was_reset = true;
  if (op.from_reset != nullptr) op.from_reset(op);
}

// First come, first served.
bool FakeEngine::MayTakeBuffer(Flight& flight) {
  const bool first = buffer_queue_.empty() || buffer_queue_.front() == &flight;
  if (first && stats_.buffers_in_use < options_.buffer_count) {
    if (flight.queued_for_buffer) buffer_queue_.pop_front();
    flight.queued_for_buffer = false;
    return true;
  }
  if (!flight.queued_for_buffer) {
    flight.queued_for_buffer = true;
    buffer_queue_.push_back(&flight);
    ++stats_.buffer_waits;
  }
  return false;
}

void FakeEngine::ReleaseBuffer(Flight& flight) {
  if (std::exchange(flight.has_buffer, false)) --stats_.buffers_in_use;
  if (std::exchange(flight.queued_for_buffer, false)) std::erase(buffer_queue_, &flight);
  flight.held.clear();
}

void FakeEngine::Corrupt(std::string& bytes) {
  const uint64_t first = std::exchange(pumped_, pumped_ + bytes.size());
  const EngineFaults& faults = options_.faults;
  if (faults.corrupt_at < first || faults.corrupt_at >= pumped_) return;
  const size_t place = faults.corrupt_at - first;
  switch (faults.corruption) {
    case EngineFaults::Corruption::kNone:
      return;
    case EngineFaults::Corruption::kDrop:
      bytes.erase(place, 1);
      return;
    case EngineFaults::Corruption::kDuplicate:
      bytes.insert(place, 1, bytes[place]);
      return;
    case EngineFaults::Corruption::kFlip:
      bytes[place] = static_cast<char>(~bytes[place]);
      return;
  }
}

}  // namespace l4lb

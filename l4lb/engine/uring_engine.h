// SPDX-License-Identifier: Apache-2.0
//
// The completion engine: io_uring.  Receives and sends of messages are requests, and so is every
// wait; all that a turn started goes to the kernel in one system call, which also brings what has
// completed.  Completions only note what happened and make ops runnable: an op goes on once all of
// them are seen, so that a turn is: collect completions, advance runnable ops, run done()s.
//
// uring_engine.cc has the loop and the verbs, uring_fds.cc what is done per fd, uring_ops.cc the
// small ops, uring_pump.cc the pump, uring_receive.cc its receives.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "l4lb/engine/fd_table.h"
#include "l4lb/engine/socket_engine.h"
#include "l4lb/engine/uring_buffers.h"
#include "l4lb/engine/uring_ring.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

// What the engine knows of an fd.  Its watch is one multishot poll, which tells of errors, hang-ups
// and room for more bytes: one request for all ops that use the fd, made only when one of them
// needs it, and kept until the fd is closed.
struct UringFd {
  Op* reader = nullptr;
  Op* writer = nullptr;
  Op* watcher = nullptr;
  bool watched : 1 = false;  // Its watch is in flight.
  bool watch_cancelled : 1 = false;
  bool watch_queued : 1 = false;    // In to_watch_.
  bool finished : 1 = false;        // Its FIN was read.
  bool blocked : 1 = false;         // A write found the socket full; cleared by its watch.
  bool error : 1 = false;           // Reset, or given up by the kernel.
  bool hung_up : 1 = false;         // Both directions are shut.
  bool closing : 1 = false;         // Closed once its watch is gone: until then the kernel would
  bool close_by_reset : 1 = false;  // keep the socket.
};

class UringEngine final : public SocketEngine {
 public:
  UringEngine(const EngineOptions& options, UniqueFd wake, bool capped_receives,
              std::unique_ptr<UringBuffers> buffers, std::unique_ptr<UringRing> ring);
  ~UringEngine() override;

  void Accept(AcceptOp& op) override;
  void Connect(ConnectOp& op) override;
  void Pump(PumpOp& op, std::string_view prefix) override;
  void Watch(WatchOp& op) override;
  void Send(SendOp& op) override;
  void Read(ReadOp& op) override;
  void Cancel(Op& op) override;
  void Close(int fd, CloseKind kind) override;
  void Poll(int64_t wake_at_ms) override;
  void Wake() override;

 private:
  // Op::engine_flags, besides those of SocketEngine.
  static constexpr uint8_t kRequest = 16;  // A poll of its fd is in flight.
  static constexpr uint8_t kBroken = 32;   // That poll told of an error or a hang-up.

  // The low bits of a request's user_data; above them is the op, or the fd.
  enum class Request : uint8_t { kReceive, kSend, kReadable, kPoll, kFd, kWake };
  static constexpr uint64_t kRequestMask = 7;

  // A message of at most this part of a buffer is small.
  static constexpr size_t kSmallShare = 4;

  struct PumpState;  // In PumpOp::scratch; uring_pump_state.h.
  struct DueWatch {
    int fd;
    int64_t at_ms;
  };

  static uint64_t Tag(Op& op, Request request) {
    return reinterpret_cast<uint64_t>(&op) | static_cast<uint64_t>(request);
  }
  static uint64_t Tag(int fd) {
    return static_cast<uint64_t>(fd) << 3 | static_cast<uint64_t>(Request::kFd);
  }

  // Loop.
  void OnCompletion(uint64_t user_data, int32_t result, uint32_t flags);
  void OnPoll(Op& op, int32_t result);
  void Abandon(Op& op) override;
  void Finish(Op& op, int error);
  void ArmWake();
  // Advances `op` once one of `events` (poll(2)) holds at `fd`.
  void WaitFor(Op& op, int fd, uint32_t events);

  // Fds.
  UringFd& Entry(int fd) { return fds_[fd]; }
  bool IsBroken(int fd);
  bool IsLatched(int fd) { return Entry(fd).error || Entry(fd).hung_up; }
  void OnFd(int fd, int32_t result, uint32_t flags);
  void NoteBroken(int fd);
  void Block(int fd);      // After a write that found it full.
  void WatchSoon(int fd);  // Unless nobody needs it by then.
  void WatchNow(int fd);
  void EndWatch(int fd);
  bool NeedsWatch(int fd);
  void StartDueWatches();
  void CloseNow(int fd);

  // Small ops.
  void AdvanceAccept(AcceptOp& op) override;
  void AdvanceConnect(ConnectOp& op) override;
  void FinishConnect(ConnectOp& op, int error);
  void AdvanceWatch(WatchOp& op) override;
  void AdvanceSend(SendOp& op) override;
  void AdvanceRead(ReadOp& op) override;

  // Pump.
  void AdvancePump(PumpOp& op) override;
  Step Deliver(PumpOp& op, PumpState& state);
  Step DeliverBuffer(PumpOp& op, PumpState& state);
  Step DeliverPipe(PumpOp& op, PumpState& state);
  Step CannotDeliver(PumpOp& op, int error);
  Step SendWithTheTurn(PumpOp& op, PumpState& state);
  Step Fill(PumpOp& op, PumpState& state);
  Step FillPipe(PumpOp& op, PumpState& state);
  void CancelPump(PumpOp& op);
  void Decide(PumpOp& op, PumpOp::End end, int error);  // How it ends; the first cause counts.
  Step EndPump(PumpOp& op, PumpOp::End end, int error);
  void JoinPump(PumpOp& op, PumpState& state);
  void Release(PumpState& state);
  void OnSend(PumpOp& op, int32_t result);
  void SendSucceeded(PumpOp& op, PumpState& state);
  void EndSends();

  // Receives.
  Step Receive(PumpOp& op, PumpState& state);
  Step ReceiveNow(PumpOp& op, PumpState& state);
  void OnReceive(PumpOp& op, int32_t result, uint32_t flags);
  void Received(PumpOp& op, PumpState& state, size_t bytes, uint32_t flags);
  void ReceivedNone(PumpOp& op, PumpState& state, int error);
  void OnReadable(PumpOp& op);
  void NoteReceived(PumpOp& op, PumpState& state, size_t bytes, bool more);
  bool TakeBuffer(PumpState& state);
  void HandOver(PumpState& state, uint16_t id);
  void GiveBuffer(uint16_t id);

  const bool capped_receives_;
  UniqueFd wake_;
  std::unique_ptr<UringBuffers> buffers_;
  int64_t submitted_at_ms_ = 0;  // When the turn's requests were; before it waited.
  std::unique_ptr<UringRing> ring_;
  FdTable<UringFd> fds_;
  std::deque<DueWatch> to_watch_;
  std::vector<PumpOp*> sending_;  // Their sends go with this turn's system call.
  int watches_ = 0;               // In flight.
};

}  // namespace l4lb

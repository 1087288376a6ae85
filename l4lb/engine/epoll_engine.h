// SPDX-License-Identifier: Apache-2.0
//
// The readiness engine: edge-triggered epoll.  What the kernel said of an fd is latched in its
// FdEntry; ops advance from the latches, never straight from an event, so that a turn is: collect
// events, advance runnable ops, run done()s.
//
// epoll_engine.cc has the loop and the verbs, epoll_ops.cc the small ops, epoll_pump.cc the pump.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include "l4lb/engine/buffer_pool.h"
#include "l4lb/engine/engine.h"
#include "l4lb/engine/fd_table.h"
#include "l4lb/engine/make_engine.h"
#include "l4lb/engine/op_queue.h"
#include "l4lb/engine/pipe_pool.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

class EpollEngine final : public Engine {
 public:
  EpollEngine(const EngineOptions& options, UniqueFd epoll, UniqueFd wake);
  ~EpollEngine() override;

  void Accept(AcceptOp& op) override;
  void Connect(ConnectOp& op) override;
  void Pump(PumpOp& op, std::string_view prefix) override;
  void Watch(WatchOp& op) override;
  void Send(SendOp& op) override;
  void Read(ReadOp& op) override;
  void Cancel(Op& op) override;
  void SetKeepalive(int fd, const KeepaliveSeconds& keepalive) override;
  void Shutdown(int fd) override;
  void Close(int fd, CloseKind kind) override;
  int64_t Unacked(int fd) override;
  int64_t Unsent(int fd) override;
  int64_t Unread(int fd) override;
  AckState Acknowledgements(int fd) override;
  void Poll(int64_t wake_at_ms) override;
  void Wake() override;

 private:
  // Op::engine_flags.
  static constexpr uint8_t kQueued = 1;  // In runnable_ or later_.
  static constexpr uint8_t kEnding = 2;  // In done_.
  static constexpr uint8_t kCancelled = 4;
  static constexpr uint8_t kWantsBuffer = 8;  // In want_buffer_.

  // What is asked of epoll for a connected socket; EPOLLOUT comes with the first full one.
  static constexpr uint32_t kConnected = EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLET;

  struct AcceptState;  // In AcceptOp::scratch; epoll_ops.cc.
  struct PumpState;    // In PumpOp::scratch; epoll_pump.cc.
  enum class Step { kMoved, kWait, kEnded };

  // Loop.
  void Start(Op& op);
  void MakeRunnable(Op& op);
  void Defer(Op& op);  // Its turn is over, it has more to do.
  void OnEvent(const epoll_event& event);
  void Advance(Op& op);
  void Abandon(Op& op);  // It was cancelled.
  void Finish(Op& op, int error);
  void RunDone();
  // 0 or an errno.
  int Register(int fd, uint32_t events);
  void Unregister(int fd);
  // After a write that found `fd` full.
  void Block(int fd);
  FdEntry& Entry(int fd) { return fds_[fd]; }
  // Nothing can be delivered to it any more: it was reset, or both directions are shut.
  bool IsBroken(int fd);
  // The slot of its fd that an op occupies while in flight.
  void Occupy(Op& op, Op* occupant);

  // Small ops.
  void AdvanceAccept(AcceptOp& op);
  void FinishAccept(AcceptOp& op, int error);
  void AdvanceConnect(ConnectOp& op);
  void FinishConnect(ConnectOp& op, int error);
  void AdvanceWatch(WatchOp& op);
  void AdvanceSend(SendOp& op);
  void AdvanceRead(ReadOp& op);
  int OpenAndConnect(ConnectOp& op);

  // Pump.
  void AdvancePump(PumpOp& op);
  size_t Share() const;  // What a pump may move in one turn.
  Step Deliver(PumpOp& op, PumpState& state);
  Step CannotDeliver(PumpOp& op, int error);
  Step DeliverBuffer(PumpOp& op, PumpState& state);
  Step DeliverPipe(PumpOp& op, PumpState& state);
  Step Fill(PumpOp& op, PumpState& state);
  Step FillBuffer(PumpOp& op, PumpState& state);
  Step FillPipe(PumpOp& op, PumpState& state);
  Step EndPump(PumpOp& op, PumpOp::End end, int error);
  bool TakeBuffer(PumpOp& op, PumpState& state);  // False: it is in want_buffer_.
  void NoteTaken(PumpOp& op, size_t bytes);
  void NoteReset(PumpOp& op);
  void ReleasePump(PumpOp& op);
  void Release(PumpState& state);
  void GiveBuffer(char* buffer);

  const Clock& clock_;
  UniqueFd epoll_;
  UniqueFd wake_;
  BufferPool buffers_;
  PipePool pipes_;
  FdTable fds_;
  int64_t small_at_ms_ = INT64_MIN / 2;  // When a read last found less than a buffer.
  OpQueue runnable_;                     // To be advanced in this turn.
  OpQueue later_;                        // Gave up their turn; advanced in the next one.
  OpQueue done_;                         // Ended; done() not yet run.
  OpQueue want_buffer_;                  // Pumps that wait for a buffer, first come first served.
  std::array<epoll_event, 256> events_;
};

}  // namespace l4lb

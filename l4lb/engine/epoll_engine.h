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
#include <memory>

#include "l4lb/engine/buffer_pool.h"
#include "l4lb/engine/fd_table.h"
#include "l4lb/engine/socket_engine.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {

// What the engine knows of an fd.
struct EpollFd {
  Op* reader = nullptr;
  Op* writer = nullptr;
  Op* watcher = nullptr;
  uint32_t generation = 0;  // Of the fd number: tells a late event of a closed fd.
  bool registered : 1 = false;
  bool wants_out : 1 = false;    // EPOLLOUT is registered.
  bool readable : 1 = false;     // A read may find something.
  bool unread_mark : 1 = false;  // Only EAGAIN proves that nothing is left: a FIN, a reset or
                                 // urgent data may stand behind a short read.
  bool finished : 1 = false;     // EPOLLRDHUP: its FIN is there, perhaps behind unread bytes.
  bool blocked : 1 = false;      // A write found the socket full; cleared by EPOLLOUT.
  bool error : 1 = false;        // EPOLLERR: reset, or given up by the kernel.
  bool hung_up : 1 = false;      // EPOLLHUP: both directions are shut.
};

class EpollEngine final : public SocketEngine {
 public:
  EpollEngine(const EngineOptions& options, UniqueFd epoll, UniqueFd wake);

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
  // What is asked of epoll for a connected socket; EPOLLOUT comes with the first full one.
  static constexpr uint32_t kConnected = EPOLLIN | EPOLLRDHUP | EPOLLPRI | EPOLLET;

  struct PumpState;  // In PumpOp::scratch; epoll_pump.cc.

  // Loop.
  void OnEvent(const epoll_event& event);
  void Abandon(Op& op) override;
  void Finish(Op& op, int error);
  // 0 or an errno.
  int Register(int fd, uint32_t events);
  void Unregister(int fd);
  // After a write that found `fd` full.
  void Block(int fd);
  EpollFd& Entry(int fd) { return fds_[fd]; }
  // Nothing can be delivered to it any more: it was reset, or both directions are shut.
  bool IsBroken(int fd);

  // Small ops.
  void AdvanceAccept(AcceptOp& op) override;
  void FinishAccept(AcceptOp& op, int error);
  void AdvanceConnect(ConnectOp& op) override;
  void FinishConnect(ConnectOp& op, int error);
  void AdvanceWatch(WatchOp& op) override;
  void AdvanceSend(SendOp& op) override;
  void AdvanceRead(ReadOp& op) override;

  // Pump.
  void AdvancePump(PumpOp& op) override;
  Step Deliver(PumpOp& op, PumpState& state);
  Step CannotDeliver(PumpOp& op, int error);
  Step DeliverBuffer(PumpOp& op, PumpState& state);
  Step DeliverPipe(PumpOp& op, PumpState& state);
  Step Fill(PumpOp& op, PumpState& state);
  Step FillBuffer(PumpOp& op, PumpState& state);
  Step FillPipe(PumpOp& op, PumpState& state);
  Step EndPump(PumpOp& op, PumpOp::End end, int error);
  bool TakeBuffer(PumpOp& op, PumpState& state);  // False: it is in want_buffer_.
  void ReleasePump(PumpOp& op);
  void Release(PumpState& state);
  void GiveBuffer(char* buffer);

  UniqueFd epoll_;
  UniqueFd wake_;
  BufferPool buffers_;
  FdTable<EpollFd> fds_;
  std::array<epoll_event, 256> events_;
};

}  // namespace l4lb

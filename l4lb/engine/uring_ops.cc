// SPDX-License-Identifier: Apache-2.0
//
// The ops of UringEngine that move no bulk: accept, connect, watch, send, read.  They are plain
// system calls once a poll has said that they will not be in vain: each is made once or twice in
// the life of a connection.
#include <errno.h>
#include <poll.h>

#include "l4lb/engine/uring_engine.h"

namespace l4lb {

void UringEngine::Accept(AcceptOp& op) {
  StartAccept(op);
  Occupy(fds_, op, &op);
  WaitFor(op, op.listen_fd, POLLIN);
}

void UringEngine::AdvanceAccept(AcceptOp& op) {
  if (const auto error = AcceptSome(op)) return Finish(op, *error);
  if ((op.engine_flags & kCancelled) == 0) WaitFor(op, op.listen_fd, POLLIN);
}

void UringEngine::Connect(ConnectOp& op) {
  Start(op);
  const int error = OpenAndConnect(op);
  if (error != 0 && error != EINPROGRESS) return FinishConnect(op, error);
  Occupy(fds_, op, &op);
  if (error == 0) return MakeRunnable(op);
  WaitFor(op, op.fd, POLLOUT);
}

void UringEngine::AdvanceConnect(ConnectOp& op) {
  FinishConnect(op, ConnectResult(op, (op.engine_flags & kBroken) != 0));
}

void UringEngine::FinishConnect(ConnectOp& op, int error) {
  Finish(op, error);
  if (error == 0 || op.fd < 0) return;
  Close(op.fd, CloseKind::kReset);
  op.fd = -1;
}

void UringEngine::Watch(WatchOp& op) {
  Start(op);
  Occupy(fds_, op, &op);
  if (IsLatched(op.fd)) return MakeRunnable(op);
  WatchSoon(op.fd);
}

void UringEngine::AdvanceWatch(WatchOp& op) {
  if (IsBroken(op.fd)) Finish(op, 0);
}

void UringEngine::Send(SendOp& op) {
  Start(op);
  op.sent = 0;
  Occupy(fds_, op, &op);
  MakeRunnable(op);
}

void UringEngine::AdvanceSend(SendOp& op) {
  if (const auto error = SendSome(op)) return Finish(op, *error);
  Block(op.fd);
}

void UringEngine::Read(ReadOp& op) {
  Start(op);
  op.size = 0;
  Occupy(fds_, op, &op);
  MakeRunnable(op);
}

void UringEngine::AdvanceRead(ReadOp& op) {
  if (const auto error = ReadSome(op)) return Finish(op, *error);
  WaitFor(op, op.fd, POLLIN);
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The ops of EpollEngine that move no bulk: accept, connect, watch, send, read.
#include "l4lb/engine/epoll_engine.h"

namespace l4lb {

// A listening socket is level-triggered, unlike all others: what we leave in the backlog is
// reported again, so that no accept4() is wasted on finding it empty.
void EpollEngine::Accept(AcceptOp& op) {
  StartAccept(op);
  Occupy(fds_, op, &op);
  if (const int error = Register(op.listen_fd, EPOLLIN); error != 0) Finish(op, error);
}

void EpollEngine::AdvanceAccept(AcceptOp& op) {
  if (const auto error = AcceptSome(op)) FinishAccept(op, *error);
}

void EpollEngine::FinishAccept(AcceptOp& op, int error) {
  Unregister(op.listen_fd);  // Or it would be reported again and again.
  Finish(op, error);
}

void EpollEngine::Connect(ConnectOp& op) {
  Start(op);
  int error = OpenAndConnect(op);
  if (error != 0 && error != EINPROGRESS) return FinishConnect(op, error);
  if (const int failed = Register(op.fd, kConnected | EPOLLOUT)) return FinishConnect(op, failed);
  Occupy(fds_, op, &op);
  if (error == 0) return MakeRunnable(op);
  Entry(op.fd).blocked = true;  // Until EPOLLOUT.
}

void EpollEngine::AdvanceConnect(ConnectOp& op) {
  const EpollFd& entry = Entry(op.fd);
  FinishConnect(op, ConnectResult(op, entry.error || entry.hung_up));
}

void EpollEngine::FinishConnect(ConnectOp& op, int error) {
  Finish(op, error);
  if (error == 0 || op.fd < 0) return;
  Close(op.fd, CloseKind::kReset);
  op.fd = -1;
}

void EpollEngine::Watch(WatchOp& op) {
  Start(op);
  Occupy(fds_, op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  const EpollFd& entry = Entry(op.fd);
  if (entry.error || entry.hung_up) MakeRunnable(op);
}

void EpollEngine::AdvanceWatch(WatchOp& op) {
  if (IsBroken(op.fd)) Finish(op, 0);
}

void EpollEngine::Send(SendOp& op) {
  Start(op);
  op.sent = 0;
  Occupy(fds_, op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  MakeRunnable(op);
}

void EpollEngine::AdvanceSend(SendOp& op) {
  if (const auto error = SendSome(op)) return Finish(op, *error);
  Block(op.fd);
}

void EpollEngine::Read(ReadOp& op) {
  Start(op);
  op.size = 0;
  Occupy(fds_, op, &op);
  if (const int error = Register(op.fd, kConnected); error != 0) return Finish(op, error);
  MakeRunnable(op);
}

void EpollEngine::AdvanceRead(ReadOp& op) {
  if (const auto error = ReadSome(op)) return Finish(op, *error);
  Entry(op.fd).readable = false;
}

}  // namespace l4lb

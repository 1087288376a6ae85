// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_network.h"

#include <errno.h>

#include <algorithm>

#include "glog/logging.h"

namespace l4lb {

FakeSocket& FakeNetwork::NewSocket(const SocketBuffers& buffers) {
  sockets_.push_back(std::make_unique<FakeSocket>(buffers.send, buffers.receive));
  sockets_.back()->last_ack_at_ms = clock_.NowMs();
  return *sockets_.back();
}

std::pair<FakeSocket*, FakeSocket*> FakeNetwork::Pair(const SocketBuffers& first,
                                                      const SocketBuffers& second) {
  FakeSocket& a = NewSocket(first);
  FakeSocket& b = NewSocket(second);
  FakeSocket::Join(a, b);
  a.local = b.remote = NewAddress(AF_INET);
  a.remote = b.local = NewAddress(AF_INET);
  return {&a, &b};
}

SocketAddress FakeNetwork::NewAddress(int family) {
  SocketAddress address;
  std::string error;
  const std::string host = family == AF_INET6 ? "[::1]:" : "127.0.0.1:";
  CHECK(SocketAddress::Parse(host + std::to_string(next_port_++), &address, &error)) << error;
  if (next_port_ == 0) next_port_ = 10000;
  return address;
}

FakeListener& FakeNetwork::Listen(int family, const SocketBuffers& buffers) {
  const SocketAddress address = NewAddress(family);
  std::unique_ptr<FakeListener>& listener = listeners_[address.ToString()];
  listener = std::make_unique<FakeListener>();
  listener->address = address;
  listener->buffers = buffers;
  return *listener;
}

void FakeNetwork::Close(FakeListener& listener) {
  for (FakeSocket* socket : listener.waiting) socket->Abort();
  listeners_.erase(listener.address.ToString());
}

FakeSocket* FakeNetwork::Accept(FakeListener& listener) {
  if (listener.waiting.empty()) return nullptr;
  FakeSocket* socket = listener.waiting.front();
  listener.waiting.pop_front();
  return socket;
}

void FakeNetwork::SetFate(const SocketAddress& address, const ConnectFate& fate) {
  fates_[address.ToString()] = fate;
}

ConnectFate FakeNetwork::FateOf(const SocketAddress& address) const {
  const auto found = fates_.find(address.ToString());
  return found == fates_.end() ? ConnectFate{} : found->second;
}

FakeSocket* FakeNetwork::Connect(const SocketAddress& address, const SocketBuffers& buffers,
                                 int* error, const SocketAddress* source) {
  const auto found = listeners_.find(address.ToString());
  *error = ECONNREFUSED;
  if (found == listeners_.end()) return nullptr;
  FakeListener& listener = *found->second;
  *error = EAGAIN;
  if (listener.waiting.size() >= listener.backlog) return nullptr;
  *error = 0;
  const auto [near, far] = Pair(buffers, listener.buffers);
  near->remote = far->local = address;
  if (source != nullptr) {
    const uint16_t port = near->local.port();
    near->local = *source;
    near->local.set_port(port);
    far->remote = near->local;
  }
  listener.waiting.push_back(far);
  if (listener.on_arrival) listener.on_arrival();
  return near;
}

void FakeNetwork::At(int64_t at_ms, std::function<void()> action) {
  scheduled_.emplace(at_ms, std::move(action));
}

bool FakeNetwork::RunScheduled() {
  bool moved = false;
  while (!scheduled_.empty() && scheduled_.begin()->first <= clock_.NowMs()) {
    const std::function<void()> action = std::move(scheduled_.begin()->second);
    scheduled_.erase(scheduled_.begin());
    action();
    moved = true;
  }
  return moved;
}

bool FakeNetwork::Carry() {
  bool moved = false;
  for (const auto& socket : sockets_) moved |= CarryFrom(*socket);
  sockets_.remove_if([](const auto& socket) { return socket->forgotten(); });
  return moved;
}

bool FakeNetwork::CarryFrom(FakeSocket& socket) {
  if (!socket.HasOutgoing() || Delayed(socket)) return false;
  FakeSocket* const far_end = socket.far_end();
  if (dice_.Chance(faults.reset)) {
    if (far_end != nullptr) far_end->Fail(ECONNRESET);
    socket.Fail(ECONNRESET);
    return true;
  }
  socket.delay_decided = false;
  socket.last_ack_at_ms = clock_.NowMs();
  return socket.Transmit();
}

// Every transmission decides once how long it takes.
bool FakeNetwork::Delayed(FakeSocket& socket) {
  if (!socket.delay_decided) {
    socket.delay_decided = true;
    if (dice_.Chance(faults.delay)) {
      socket.wire_free_at_ms = clock_.NowMs() + dice_.Between(1, faults.max_delay_ms);
    }
  }
  return socket.wire_free_at_ms > clock_.NowMs();
}

int64_t FakeNetwork::NextDue() const {
  int64_t due_ms = scheduled_.empty() ? kNever : scheduled_.begin()->first;
  for (const auto& socket : sockets_) {
    if (socket->HasOutgoing()) due_ms = std::min(due_ms, socket->wire_free_at_ms);
  }
  return due_ms;
}

}  // namespace l4lb

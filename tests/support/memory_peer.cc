// SPDX-License-Identifier: Apache-2.0
#include "tests/support/memory_peer.h"

#include <algorithm>

#include "glog/logging.h"

namespace l4lb {
namespace {

SocketBuffers Buffers(const QueueBytes& bytes) {
  SocketBuffers buffers;
  if (bytes.send > 0) buffers.send = static_cast<size_t>(bytes.send);
  if (bytes.receive > 0) buffers.receive = static_cast<size_t>(bytes.receive);
  return buffers;
}

class MemoryPeerListener final : public PeerListener {
 public:
  MemoryPeerListener(FakeNetwork& network, FakeListener& listener)
      : network_(network), listener_(listener) {}
  ~MemoryPeerListener() override { network_.Close(listener_); }

  const SocketAddress& address() const override { return listener_.address; }
  std::unique_ptr<Peer> Accept() override {
    FakeSocket* socket = network_.Accept(listener_);
    return socket == nullptr ? nullptr : std::make_unique<MemoryPeer>(network_, *socket);
  }

 private:
  FakeNetwork& network_;
  FakeListener& listener_;
};

class MemoryFdShortage final : public FarEnds::FdShortage {
 public:
  explicit MemoryFdShortage(FakeFdTable& fds) : fds_(fds) { fds_.set_limit(0); }
  ~MemoryFdShortage() override { fds_.set_limit(SIZE_MAX); }

 private:
  FakeFdTable& fds_;
};

}  // namespace

size_t MemoryPeer::Send(std::string_view data) {
  if (socket_ == nullptr) return 0;
  size_t sent = 0;
  while (sent < data.size()) {
    const int64_t size = socket_->Send(data.substr(sent));
    broken_ |= size < 0 && size != -EAGAIN;
    if (size <= 0) break;
    sent += static_cast<size_t>(size);
    network_.Carry();
  }
  return sent;
}

bool MemoryPeer::SendUrgent(char) { LOG(FATAL) << "no urgent data in memory"; }

std::string MemoryPeer::Receive(size_t limit) {
  std::string data;
  while (socket_ != nullptr && data.size() < limit) {
    std::string chunk(std::min(std::max<size_t>(socket_->unread(), 1), limit - data.size()), '\0');
    const int64_t size = socket_->Receive(chunk.data(), chunk.size());
    if (size == 0 && end_ == End::kOpen) end_ = broken_ ? End::kReset : End::kFin;
    if (size < 0 && size != -EAGAIN) end_ = End::kReset;
    if (size <= 0) break;
    data.append(chunk, 0, static_cast<size_t>(size));
    network_.Carry();
  }
  return data;
}

void MemoryPeer::Finish() {
  if (socket_ != nullptr) socket_->Finish();
  network_.Carry();
}

void MemoryPeer::Reset() {
  if (socket_ != nullptr) std::exchange(socket_, nullptr)->Abort();
  network_.Carry();
}

void MemoryPeer::Close() {
  if (socket_ != nullptr) std::exchange(socket_, nullptr)->Close();
  network_.Carry();
}

void MemoryPeer::Vanish() {
  if (socket_ == nullptr) return;
  socket_->cut = true;
  if (socket_->far_end() != nullptr) socket_->far_end()->cut = true;
}

void MemoryPeer::TimeOut() {
  if (socket_ != nullptr && socket_->far_end() != nullptr) socket_->far_end()->Fail(ETIMEDOUT);
}

Connection MemoryFarEnds::Connect(const QueueBytes& near, const QueueBytes& far) {
  const auto [near_socket, far_socket] = network_.Pair(Buffers(near), Buffers(far));
  return {engine_.fds().Open(*near_socket), std::make_unique<MemoryPeer>(network_, *far_socket)};
}

NearListener MemoryFarEnds::ListenNear() {
  FakeListener& listener = network_.Listen(AF_INET, {});
  return {engine_.fds().Open(listener), listener.address};
}

std::unique_ptr<Peer> MemoryFarEnds::Dial(const SocketAddress& near_listener) {
  int error = 0;
  FakeSocket* socket = network_.Connect(near_listener, {}, &error);
  return error != 0 ? nullptr : std::make_unique<MemoryPeer>(network_, *socket);
}

std::unique_ptr<PeerListener> MemoryFarEnds::ListenFar(Family family) {
  CHECK(Has(family));
  FakeListener& listener = network_.Listen(family == Family::kIpv6 ? AF_INET6 : AF_INET, {});
  return std::make_unique<MemoryPeerListener>(network_, listener);
}

SocketAddress MemoryFarEnds::SilentAddress() {
  const SocketAddress address = network_.NewAddress(AF_INET);
  network_.SetFate(address, {.blackholed = true});
  return address;
}

std::unique_ptr<FarEnds::FdShortage> MemoryFarEnds::TakeAllFds() {
  return std::make_unique<MemoryFdShortage>(engine_.fds());
}

}  // namespace l4lb

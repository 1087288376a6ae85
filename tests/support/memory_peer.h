// SPDX-License-Identifier: Apache-2.0
//
// The far ends in memory, for FakeEngine.
#pragma once

#include <memory>

#include "tests/support/fake_engine.h"
#include "tests/support/fake_network.h"
#include "tests/support/peer.h"

namespace l4lb {

class MemoryPeer final : public Peer {
 public:
  MemoryPeer(FakeNetwork& network, FakeSocket& socket) : network_(network), socket_(&socket) {}
  ~MemoryPeer() override { Close(); }

  size_t Send(std::string_view data) override;
  bool SendUrgent(char byte) override;
  std::string Receive(size_t limit = SIZE_MAX) override;
  End end() const override { return end_; }
  void Finish() override;
  void Reset() override;
  void Close() override;
  SocketAddress address() const override { return address_; }
  SocketAddress remote_address() const override { return remote_address_; }

  /// Whether Close() would be a reset.
  bool has_unread() const { return socket_ != nullptr && socket_->unread() > 0; }
  /// Neither its packets nor its acknowledgements arrive any more.
  void Vanish();
  /// The kernel of the near end gives the connection up (keepalive).
  void TimeOut();

 private:
  FakeNetwork& network_;
  FakeSocket* socket_;  // Null once closed.
  const SocketAddress address_ = socket_->local;
  const SocketAddress remote_address_ = socket_->remote;
  bool broken_ = false;  // A send was told of the reset: the clean end that follows is none.
  End end_ = End::kOpen;
};

class MemoryFarEnds final : public FarEnds {
 public:
  explicit MemoryFarEnds(FakeEngine& engine) : engine_(engine), network_(engine.network()) {}

  bool Has(Family family) const override { return family != Family::kUnix; }
  bool has_urgent_data() const override { return false; }
  bool real() const override { return false; }
  Connection Connect(const QueueBytes& near, const QueueBytes& far) override;
  NearListener ListenNear() override;
  std::unique_ptr<Peer> Dial(const SocketAddress& near_listener) override;
  std::unique_ptr<PeerListener> ListenFar(Family family) override;
  SocketAddress RefusedAddress() override { return network_.NewAddress(AF_INET); }
  SocketAddress SilentAddress() override;
  std::unique_ptr<FdShortage> TakeAllFds() override;

 private:
  FakeEngine& engine_;
  FakeNetwork& network_;
};

}  // namespace l4lb

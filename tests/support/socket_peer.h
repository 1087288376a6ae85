// SPDX-License-Identifier: Apache-2.0
//
// The far ends over real sockets of the loopback interface, for engines of the kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "l4lb/net/unique_fd.h"
#include "tests/support/peer.h"

namespace l4lb {

class SocketPeer final : public Peer {
 public:
  explicit SocketPeer(UniqueFd fd);  ///< A connected socket.

  size_t Send(std::string_view data) override;
  bool SendUrgent(char byte) override;
  std::string Receive(size_t limit = SIZE_MAX) override;
  End end() const override { return end_; }
  void Finish() override;
  void Reset() override;
  void Close() override { fd_.Reset(); }
  SocketAddress address() const override { return address_; }
  SocketAddress remote_address() const override { return remote_address_; }

 private:
  UniqueFd fd_;
  const SocketAddress address_;
  const SocketAddress remote_address_;
  bool broken_ = false;  // A send was told of the reset: the clean end that follows is none.
  End end_ = End::kOpen;
};

class SocketFarEnds final : public FarEnds {
 public:
  bool Has(Family family) const override;
  bool has_urgent_data() const override { return true; }
  bool real() const override { return true; }
  Connection Connect(const QueueBytes& near, const QueueBytes& far) override;
  NearListener ListenNear() override;
  std::unique_ptr<Peer> Dial(const SocketAddress& near_listener) override;
  std::unique_ptr<PeerListener> ListenFar(Family family) override;
  SocketAddress RefusedAddress() override;
  SocketAddress SilentAddress() override;
  std::unique_ptr<FdShortage> TakeAllFds() override;

 private:
  std::vector<UniqueFd> silent_;  // Listeners with a full backlog, and what fills it.
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The network between FakeEngine (the near side) and MemoryPeers (the far side): owns every
// FakeSocket, carries their bytes in virtual time, knows who listens where, what becomes of a
// connection attempt, and what a test has scheduled for later.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "l4lb/net/socket_address.h"
#include "tests/support/dice.h"
#include "tests/support/fake_socket.h"
#include "tests/support/manual_clock.h"

namespace l4lb {

/// What goes wrong on the wire; probabilities per transmission.
struct WireFaults {
  double delay = 0;
  int64_t max_delay_ms = 100;
  double reset = 0;  // The connection dies at both ends at once (a middlebox forgot it).
};

/// What becomes of attempts to connect to one address.
struct ConnectFate {
  int error = 0;  // 0: whoever listens there answers, or ECONNREFUSED.
  int64_t delay_ms = 0;
  bool blackholed = false;  // Nothing answers.
};

struct SocketBuffers {
  size_t send = FakeSocket::kDefaultBytes;
  size_t receive = FakeSocket::kDefaultBytes;
};

struct FakeListener {
  SocketAddress address;
  SocketBuffers buffers;  // Of the sockets that it accepts.
  size_t backlog = 4096;
  std::deque<FakeSocket*> waiting;
  std::function<void()> on_arrival;  // May be empty.
};

class FakeNetwork {
 public:
  static constexpr int64_t kNever = INT64_MAX;

  FakeNetwork(ManualClock& clock, Dice& dice) : clock_(clock), dice_(dice) {}

  ManualClock& clock() { return clock_; }
  Dice& dice() { return dice_; }
  WireFaults faults;

  /// A connection between two users of the network, first.local being second.remote.
  std::pair<FakeSocket*, FakeSocket*> Pair(const SocketBuffers& first, const SocketBuffers& second);

  /// A listener at a new address of this family's loopback.
  FakeListener& Listen(int family, const SocketBuffers& buffers);
  /// Resets whoever still waits.
  void Close(FakeListener& listener);
  /// Null when nobody waits.
  FakeSocket* Accept(FakeListener& listener);
  /// An address where nobody listens.
  SocketAddress NewAddress(int family);

  void SetFate(const SocketAddress& address, const ConnectFate& fate);
  ConnectFate FateOf(const SocketAddress& address) const;
  /// The end of the handshake.  Null with `*error` ECONNREFUSED, or EAGAIN when the backlog is
  /// full.
  FakeSocket* Connect(const SocketAddress& address, const SocketBuffers& buffers, int* error,
                      const SocketAddress* source = nullptr);

  /// Runs `action` from inside the Poll() that reaches this time.
  void At(int64_t at_ms, std::function<void()> action);
  // Both return whether anything happened.
  bool RunScheduled();
  bool Carry();  ///< All that can be carried now.
  /// When there will be something to run or to carry; kNever when there never will by itself.
  int64_t NextDue() const;

  size_t socket_count() const { return sockets_.size(); }

 private:
  FakeSocket& NewSocket(const SocketBuffers& buffers);
  bool CarryFrom(FakeSocket& socket);
  bool Delayed(FakeSocket& socket);

  ManualClock& clock_;
  Dice& dice_;
  uint16_t next_port_ = 10000;
  std::list<std::unique_ptr<FakeSocket>> sockets_;
  std::map<std::string, std::unique_ptr<FakeListener>> listeners_;
  std::map<std::string, ConnectFate> fates_;
  std::multimap<int64_t, std::function<void()>> scheduled_;
};

}  // namespace l4lb

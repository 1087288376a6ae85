// SPDX-License-Identifier: Apache-2.0
//
// The far ends of the connections that an Engine handles: the client that dials in, the backend
// that accepts.  Tests of engines touch them only through these classes, which exist over real
// sockets (socket_peer.h) and in memory (memory_peer.h).  No call blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "l4lb/net/socket_address.h"

namespace l4lb {

/// Bytes of a socket's queues; 0 leaves the default.
struct QueueBytes {
  int send = 0;
  int receive = 0;
};

class Peer {
 public:
  enum class End : uint8_t { kOpen, kFin, kReset };

  virtual ~Peer() = default;  ///< Closes.

  /// Returns how many bytes fitted; 0 also when the connection is gone.
  virtual size_t Send(std::string_view data) = 0;
  virtual bool SendUrgent(char byte) = 0;  ///< False when it did not fit.
  /// What is there, `limit` bytes at most.  Not calling it is a reader that pauses.
  virtual std::string Receive(size_t limit = SIZE_MAX) = 0;
  /// What came after the bytes, as the last Receive() found it.
  virtual End end() const = 0;
  virtual void Finish() = 0;  ///< FIN
  virtual void Reset() = 0;   ///< RST, and the end of this object's use.
  virtual void Close() = 0;   ///< FIN, or RST when there is input left; likewise.
  virtual SocketAddress address() const = 0;
  /// The near end's own address.
  virtual SocketAddress remote_address() const = 0;
};

/// A backend's listener.
class PeerListener {
 public:
  virtual ~PeerListener() = default;
  virtual const SocketAddress& address() const = 0;
  virtual std::unique_ptr<Peer> Accept() = 0;  ///< Null when nobody waits.
};

/// A connection whose near end is the engine's to use and to close.
struct Connection {
  int fd = -1;
  std::unique_ptr<Peer> peer;
};

struct NearListener {
  int fd = -1;
  SocketAddress address;
};

class FarEnds {
 public:
  enum class Family : uint8_t { kIpv4, kIpv6, kUnix };
  /// While it lives, no new fd is to be had.
  class FdShortage {
   public:
    virtual ~FdShortage() = default;
  };

  virtual ~FarEnds() = default;

  /// False where the machine (or this implementation) lacks it.
  virtual bool Has(Family family) const = 0;
  virtual bool has_urgent_data() const = 0;
  virtual bool real() const = 0;

  virtual Connection Connect(const QueueBytes& near, const QueueBytes& far) = 0;
  virtual NearListener ListenNear() = 0;
  virtual std::unique_ptr<Peer> Dial(const SocketAddress& near_listener) = 0;
  virtual std::unique_ptr<PeerListener> ListenFar(Family family) = 0;
  /// Where a connection is refused.
  virtual SocketAddress RefusedAddress() = 0;
  /// Where nothing ever answers, as long as this object lives.
  virtual SocketAddress SilentAddress() = 0;
  virtual std::unique_ptr<FdShortage> TakeAllFds() = 0;
};

}  // namespace l4lb

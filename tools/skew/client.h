// SPDX-License-Identifier: Apache-2.0
//
// One client: its connections, and what it has asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/observe/histogram.h"
#include "tools/kit/event_loop.h"
#include "tools/skew/http2.h"
#include "tools/skew/mode_run.h"
#include "tools/skew/random.h"

namespace l4lb::skew {

struct Request {
  int64_t scheduled_ns;  ///< CLOCK_MONOTONIC; latency counts from here.
  int retries = 0;
};

class ClientConnection;

/// What a client needs of the one that has all of them.
class ClientHost {
 public:
  virtual kit::EventLoop& loop() = 0;
  virtual ClientTally& tally() = 0;
  /// Of requests that were due then.
  virtual Histogram& LatenciesOf(int64_t due_ns) = 0;
  /// Calls Client::Dial(link) then.
  virtual void DialAt(int64_t ns, int client, int link) = 0;
  /// Keeps it until nobody is in a function of it.
  virtual void Bury(std::unique_ptr<ClientConnection> connection) = 0;

 protected:
  ~ClientHost() = default;
};

class Client {
 public:
  static constexpr int kMostRetries = 3;

  Client(ClientHost& host, int index, const SocketAddress& source, ExponentialTimes gaps);
  ~Client();

  /// From one request to the next.
  int64_t NextGapNs() { return gaps_.Next(); }
  void AddTarget(const SocketAddress& target, int64_t dial_ns);
  /// No new requests there; the connection is closed when all are answered.
  void RemoveTarget(const SocketAddress& target);
  void Dial(int link);
  /// Sends it on one of its connections, each in its turn, or when there is one.
  void Ask(Request request);
  /// Asked and not answered.
  uint64_t unanswered() const { return unanswered_; }

 private:
  friend class ClientConnection;
  struct Link {
    SocketAddress target;
    std::unique_ptr<ClientConnection> connection;  // Null: to be dialed.
    int64_t dialed_ns = 0;
    bool leaving = false;
  };

  bool SendSomewhere(const Request& request);
  ClientConnection* NextOpen();
  void OnOpen();
  void OnAnswer(int link, const Request& request);
  void OnLost(Request request);
  void OnClosed(int link, bool was_open);
  void LeaveWhenDone(Link& link);

  ClientHost& host_;
  const int index_;
  const SocketAddress source_;
  ExponentialTimes gaps_;
  std::vector<Link> links_;
  uint64_t turn_;                // Begins at random, so that not all ask the same backend first.
  std::deque<Request> waiting_;  // For a connection.
  uint64_t unanswered_ = 0;
};

/// A client's connection, and what is under way there.
class ClientConnection final : public Http2Connection {
 public:
  ClientConnection(Client& client, int link, UniqueFd fd)
      : Http2Connection(std::move(fd), Role::kClient), client_(client), link_(link) {}

  /// False: it takes no more.
  bool Send(const Request& request);
  bool idle() const { return asked_.empty(); }

 private:
  void OnOpen() final;
  void OnAnswer(int32_t stream, std::string_view backend, bool good) final;
  void OnLost(int32_t stream) final;
  void OnClosed() final;

  Client& client_;
  const int link_;
  bool was_open_ = false;
  absl::flat_hash_map<int32_t, Request> asked_;  // By stream.
};

}  // namespace l4lb::skew

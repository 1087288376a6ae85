// SPDX-License-Identifier: Apache-2.0
//
// The clients: each keeps one lasting HTTP/2 connection to each target, and sends requests at
// random moments (Poisson), whether the earlier ones are answered or not.  All on one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "l4lb/net/socket_address.h"
#include "l4lb/observe/histogram.h"
#include "tools/skew/client.h"
#include "tools/skew/loop_thread.h"
#include "tools/skew/options.h"
#include "tools/skew/schedule.h"

namespace l4lb::skew {

class Clients final : private LoopThread::Duty, private ClientHost {
 public:
  /// Connects from `origin_ns` on (CLOCK_MONOTONIC), and sends until the schedule's end.
  Clients(const Options& options, const Schedule& schedule,
          const std::vector<SocketAddress>& targets, int64_t origin_ns);
  ~Clients();

  /// Tell all clients; any thread.
  void AddTarget(const SocketAddress& target);
  void RemoveTarget(const SocketAddress& target);
  /// Sends nothing more, waits two seconds at most for the answers, and closes all connections.
  ClientTally Finish();

 private:
  enum class Deed : uint8_t { kSend, kDial };
  struct Due {
    int64_t ns;
    Deed deed;
    int client;
    int link;

    friend bool operator>(const Due& a, const Due& b) { return a.ns > b.ns; }
  };

  // ClientHost
  kit::EventLoop& loop() final { return thread_.loop(); }
  ClientTally& tally() final { return tally_; }
  Histogram& LatenciesOf(int64_t due_ns) final;
  void DialAt(int64_t ns, int client, int link) final;
  void Bury(std::unique_ptr<ClientConnection> connection) final;

  int64_t NextNs() const final;
  void DoDue(int64_t now_ns) final;
  void Send(int client, int64_t scheduled_ns);
  uint64_t Unanswered() const;

  const Schedule schedule_;
  const int64_t origin_ns_;
  LoopThread thread_;
  std::atomic<uint64_t> unanswered_ = 1;  // Once no more is sent; before, not known.

  // Of the thread.
  int64_t last_ns_;  // No request from here on.
  std::vector<std::unique_ptr<Client>> clients_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<std::unique_ptr<ClientConnection>> buried_;  // Until the end of the turn.
  ClientTally tally_;
};

}  // namespace l4lb::skew

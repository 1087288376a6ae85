// SPDX-License-Identifier: Apache-2.0
//
// Real clients: every request at its time, whether others have been answered or not (open loop),
// and on a connection of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "l4lb/net/socket_address.h"
#include "l4lb/observe/histogram.h"
#include "tools/kit/event_loop.h"
#include "tools/lab/workload.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// What clients saw of the requests that are measured.
struct Seen {
  /// Requests of one part of the run.
  struct Part {
    Histogram latency_ns;           // From the scheduled time to the answer.
    std::vector<int64_t> requests;  // Answered, by backend.
    int64_t failed = 0;             // No answer.
  };
  std::vector<Part> parts;  // Equal parts of the time, by scheduled time.
  Histogram late_ns;        // How much later than scheduled requests were sent.
  std::string first_failure;

  Part Whole() const;
};

class TcpClients {
 public:
  static constexpr int kParts = 8;

  /// `targets`: the balancers, picked at random for each request.
  TcpClients(const World& world, uint64_t seed, std::vector<SocketAddress> targets);
  ~TcpClients();

  /// Sends all requests of the world, the first ones from `begin_ns` on (kit::NowNs()), and returns
  /// when each has been answered, has failed, or is given up, or when `*stop` is true.
  Seen Run(int64_t begin_ns, const std::atomic<bool>& stop);

 private:
  class Connection;

  void Send(int64_t due_ns);
  void OnAnswered(const Connection& connection, int backend);
  void OnFailed(const Connection& connection, const std::string& what);
  void OnOver(Connection* connection) { over_.push_back(connection); }
  void RemoveOver();
  Seen::Part* PartOf(int64_t due_ns);

  const World world_;
  Workload workload_;
  Variates choices_;
  const std::vector<SocketAddress> targets_;
  kit::EventLoop loop_;
  int64_t measure_ns_ = 0;                                // From here on it is measured,
  int64_t end_ns_ = 0;                                    // and from here on nothing is sent.
  std::vector<std::unique_ptr<Connection>> connections_;  // Each knows its place here.
  std::vector<Connection*> over_;  // Closed; removed when no event can name them any more.
  Seen seen_;
};

}  // namespace l4lb::lab

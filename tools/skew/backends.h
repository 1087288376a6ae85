// SPDX-License-Identifier: Apache-2.0
//
// The backends: HTTP/2 servers on ports of loopback, all on one thread.  Each serves one request at
// a time, in the order in which they came, for a time that a timer measures: so they do not take
// the cores from each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tools/skew/loop_thread.h"
#include "tools/skew/middle.h"
#include "tools/skew/observed.h"
#include "tools/skew/options.h"

namespace l4lb::skew {

class Backends final : private LoopThread::Duty {
 public:
  /// Listens, and serves from here on.
  static absl::StatusOr<std::unique_ptr<Backends>> Start(const Options& options);
  ~Backends();

  const std::vector<Endpoint>& endpoints() const { return endpoints_; }
  /// When the mode begins, on CLOCK_MONOTONIC; before the first connection.
  void Begin(int64_t origin_ns) { origin_ns_ = origin_ns; }
  /// How many requests each has answered so far.  Any thread.
  std::vector<uint64_t> Served() const;
  /// Ends it, with all connections.
  Observed Stop();

 private:
  class Connection;
  struct Backend;
  /// A request whose service ends at `end_ns`.
  struct Service {
    int64_t end_ns;
    uint64_t connection;
    int32_t stream;
    int backend;

    friend bool operator>(const Service& a, const Service& b) { return a.end_ns > b.end_ns; }
  };

  explicit Backends(const Options& options);
  absl::Status Listen();
  void Accept(int backend);
  void Serve(int backend, uint64_t connection, int32_t stream);
  void Finish(const Service& service);
  void OnClosed(uint64_t connection);

  int64_t NextNs() const final;
  void DoDue(int64_t now_ns) final;

  const Options& options_;
  std::vector<Endpoint> endpoints_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::atomic<int64_t> origin_ns_ = 0;
  LoopThread thread_;

  // Of the thread.
  absl::flat_hash_map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::vector<uint64_t> closed_;  // To be forgotten at the end of the turn.
  std::priority_queue<Service, std::vector<Service>, std::greater<>> services_;
  Observed observed_;
};

}  // namespace l4lb::skew

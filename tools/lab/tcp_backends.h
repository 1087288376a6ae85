// SPDX-License-Identifier: Apache-2.0
//
// Real backends: each listens, and serves one request at a time.  A request takes its time by a
// timer and no CPU, so that several backends fit on a small machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "l4lb/net/unique_fd.h"
#include "l4lb/observe/histogram.h"
#include "tools/kit/event_loop.h"
#include "tools/lab/departures.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

// The first byte of a connection says what is wanted.
constexpr char kRequest = 'r';         // 8 bytes follow: its cost, in means of its backend / 2^32.
constexpr char kCheckBackend = 'b';    // A health check: answered at once.
constexpr char kCheckDatabase = 'd';   // One that asks the database, too.
constexpr char kCheckAnswer[] = "ok";  // To both.
constexpr size_t kRequestBytes = 9;
constexpr double kCostUnit = 4294967296.0;

/// One thread serves them all.  A request is answered with one byte, the number of its backend.
class TcpBackends {
 public:
  static constexpr int kMost = 256;

  /// Listens on free loopback ports, one for each backend of the world, those that join included.
  static absl::StatusOr<std::unique_ptr<TcpBackends>> Start(const World& world);
  ~TcpBackends();
  TcpBackends(const TcpBackends&) = delete;
  TcpBackends& operator=(const TcpBackends&) = delete;

  /// "127.0.0.1:40001", by backend.
  const std::vector<std::string>& addresses() const { return addresses_; }
  /// While it is slow, checks that ask the database get no answer.  Any thread.
  void SetDatabaseSlow(bool slow) { database_slow_ = slow; }
  /// Ends the thread.  Returns how much later than planned answers were sent, in ns.
  const Histogram& Stop();

 private:
  class Connection;
  class Listener;
  struct Backend {
    double mean_ns = 0;
    std::deque<Connection*> queue;  // The first one is served.
  };

  TcpBackends() = default;
  absl::Status Listen(const World& world);
  void Run();
  void Accept(int listener, int backend);
  void Enqueue(Connection* connection, int backend);
  void Serve(int backend, int64_t from_ns);
  void FinishFirst();
  void AnswerWaitingChecks();
  void OnOver(Connection* connection) { over_.push_back(connection); }
  void RemoveOver();

  kit::EventLoop loop_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::string> addresses_;
  std::vector<Backend> backends_;
  std::unique_ptr<Departures> departures_;
  std::vector<std::unique_ptr<Connection>> connections_;  // Each knows its place here.
  std::vector<Connection*> over_;  // Closed; removed when no event can name them any more.
  std::vector<Connection*> waiting_checks_;
  Histogram timer_error_ns_;
  std::atomic<bool> database_slow_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace l4lb::lab

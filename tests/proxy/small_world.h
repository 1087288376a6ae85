// SPDX-License-Identifier: Apache-2.0
//
// A worker over an engine in memory, with a few backends, for tests of what is done to its
// sessions: nothing goes wrong by itself, time is virtual, and clients that get a FIN or an RST
// close at once unless told otherwise.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "l4lb/proxy/worker.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_network.h"
#include "tests/support/memory_peer.h"

namespace l4lb {

class SmallWorld {
 public:
  struct Options {
    int backends = 2;
    int64_t backend_limit = 0;  // max_connections of each.
    int64_t idle_timeout_ms = 3'600'000;
    AgeLimit max_age;
  };

  /// One session, seen from outside.
  struct Session {
    std::unique_ptr<MemoryPeer> client;   // Null once closed.
    std::unique_ptr<MemoryPeer> backend;  // Null before it was connected, and once closed.
    int backend_index = -1;
    std::string address;  // The client's.
    bool polite = true;   // Closes when it is told of the end.
    bool reads = true;    // The client does.
    std::string got;      // By the client.
    Peer::End end = Peer::End::kOpen;
    int64_t ended_ms = -1;  // When the client was told.
  };

  explicit SmallWorld(const Options& options);
  ~SmallWorld();

  int64_t now_ms() const { return clock_.NowMs(); }
  Worker& worker() { return *worker_; }
  const std::shared_ptr<Backend>& backend(int index) { return pool_->members[index].backend; }
  const ListenerCounters& counters() const { return meters_->counters; }
  std::deque<Session>& sessions() { return sessions_; }
  uint64_t turns() const { return engine_->stats().turns; }

  void RunFor(int64_t ms);
  /// Dials, and runs until the backend has accepted.
  Session& Connect();
  void Connect(int count);
  /// Dials only.
  Session& Dial();
  /// A connection that another worker has accepted.
  void HandOver();
  void DelayConnects(int backend, int64_t ms);
  // As a reload does.
  void Adopt(const AgeLimit& max_age);
  void ChangeIdleTimeout(int64_t idle_timeout_ms);

  /// How many clients were told of the end within [from_ms, to_ms).
  int EndedBetween(int64_t from_ms, int64_t to_ms) const;
  uint64_t Closed(CloseReason reason) const;

 private:
  class Silence;

  void AcceptAtBackends();
  void WatchClients();

  ManualClock clock_;
  Dice dice_{1};
  FakeNetwork network_{clock_, dice_};
  FakeEngine* engine_ = nullptr;  // The worker's.
  SocketAddress near_address_;
  std::unique_ptr<Silence> events_;
  Places places_{100'000};
  ListenerLimits limits_;
  Crew crew_{1};
  SessionNames names_{.listener = "front", .pool = "back", .policy = "round_robin"};
  std::shared_ptr<PoolSnapshot> pool_;
  std::shared_ptr<ListenerMeters> meters_ = std::make_shared<ListenerMeters>();
  std::vector<FakeListener*> backend_listeners_;
  std::unique_ptr<Worker> worker_;
  std::deque<Session> sessions_;
  std::vector<std::unique_ptr<MemoryPeer>> unclaimed_;
};

}  // namespace l4lb

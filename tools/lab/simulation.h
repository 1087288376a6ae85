// SPDX-License-Identifier: Apache-2.0
//
// One run of a World under one policy: discrete events, the same result for the same seed on every
// machine.
#pragma once

#include <cstdint>
#include <vector>

#include "l4lb/balance/policy.h"
#include "tools/lab/balancer.h"
#include "tools/lab/departures.h"
#include "tools/lab/fifo.h"
#include "tools/lab/outcome.h"
#include "tools/lab/recorder.h"
#include "tools/lab/variates.h"
#include "tools/lab/workload.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

class Simulation {
 public:
  /// `samples`: how many moments of the run are kept.
  Simulation(const World& world, PolicyKind policy, uint64_t seed, int samples = 0);
  Outcome Run();

 private:
  struct Request {
    int64_t due_ns = 0;  // When it came.
    double cost = 1;     // In means of its backend.
    int connection = 0;
    int next = kNobody;  // At its backend, or of those that its connection holds.
  };
  struct Connection {
    int balancer = 0;
    int backend = Balancer::kNone;  // kNone: it waits.
    int wanted = Balancer::kNone;   // For this one; kNone: for any.
    int open = 0;                   // Requests without an answer.
    bool last = false;              // No more requests come.
    Fifo held;                      // Requests that wait with it.
    int next = kNobody;             // In a queue of connections.
  };

  int64_t NextArrival(int64_t now_ns);
  void Arrive(int64_t now_ns);
  int ConnectionOfNext(int64_t now_ns);
  int Open(int64_t now_ns);
  void Start(int connection, int backend, int64_t now_ns);
  void Hold(int connection, int request);
  void Enqueue(int request, int backend, int64_t now_ns);
  void Serve(int backend, int64_t now_ns);
  void Depart(int64_t now_ns);
  void Close(int connection, int64_t now_ns);
  bool IsOver(int connection);
  void EndLasting(int64_t now_ns);
  Fifo& WaitsFor(int balancer, int backend);
  void Join();

  const World world_;
  const PolicyKind policy_;
  Workload workload_;
  Variates choices_;  // Which balancer, connection and client.
  std::vector<Balancer> balancers_;
  std::vector<double> mean_ns_;  // By backend, as the next one.
  std::vector<Fifo> queues_;     // Requests; the first one is served.
  Departures departures_;
  Items<Request> requests_;
  Items<Connection> connections_;
  std::vector<int> lasting_;     // Of World::connections; kNobody: to be opened.
  std::vector<Fifo> waits_any_;  // Connections, by balancer.
  std::vector<Fifo> waits_for_;  // The same by balancer and backend.
  int64_t join_ns_;              // Recorder::kNever: nobody joins any more.
  Recorder recorder_;
};

}  // namespace l4lb::lab

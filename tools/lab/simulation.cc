// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/simulation.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace l4lb::lab {
namespace {

constexpr int64_t kNever = Recorder::kNever;
constexpr double kNsPerMs = 1e6;

size_t Place(int number) { return static_cast<size_t>(number); }

}  // namespace

Simulation::Simulation(const World& world, PolicyKind policy, uint64_t seed, int samples)
    : world_(world),
      policy_(policy),
      workload_(world, seed),
      choices_(StreamOf(seed, Stream::kChoices)),
      queues_(Place(world.all_backends())),
      departures_(world.all_backends()),
      lasting_(Place(world.connections), kNobody),
      waits_any_(Place(world.balancers)),
      join_ns_(world.joining > 0 ? (world.warmup_ms + world.join_ms) * Recorder::kNsPerMs : kNever),
      recorder_(world_, samples) {
  const auto lookup = MakeLookup(world_, policy, world_.backends);
  Variates seeds = StreamOf(seed, Stream::kPolicies);
  balancers_.reserve(Place(world_.balancers));
  for (int i = 0; i < world_.balancers; ++i) {
    balancers_.emplace_back(
        world_, policy, PolicyStart{.index = i, .count = world_.balancers, .seed = seeds.Next()},
        lookup);
  }
  for (int i = 0; i < world_.all_backends(); ++i) {
    mean_ns_.push_back(world_.mean_ms_of(i) * kNsPerMs);
  }
  if (world_.limit > 0) waits_for_.resize(balancers_.size() * mean_ns_.size());
}

Outcome Simulation::Run() {
  for (int& connection : lasting_) connection = Open(0);
  int64_t arrival_ns = NextArrival(0);
  while (true) {
    const int64_t now_ns = std::min(arrival_ns, departures_.first_ns());
    const int64_t look_ns = std::min(recorder_.next_ns(), join_ns_);
    if (look_ns <= now_ns && look_ns != kNever) {
      look_ns == join_ns_ ? Join() : recorder_.OnTime();
    } else if (now_ns == kNever) {
      return recorder_.Finish();
    } else if (now_ns == arrival_ns) {
      Arrive(now_ns);
      arrival_ns = NextArrival(now_ns);
      if (arrival_ns == kNever) EndLasting(now_ns);
    } else {
      Depart(now_ns);
    }
  }
}

// kNever after the last one.
int64_t Simulation::NextArrival(int64_t now_ns) {
  const int64_t next_ns = now_ns + workload_.NextGapNs();
  return next_ns < recorder_.end_ns() ? next_ns : kNever;
}

void Simulation::Arrive(int64_t now_ns) {
  const double cost = workload_.NextCost();
  const int number = ConnectionOfNext(now_ns);
  Connection& connection = connections_[number];
  const int request = requests_.Add({.due_ns = now_ns, .cost = cost, .connection = number});
  ++connection.open;
  if (connection.backend == Balancer::kNone) {
    Hold(number, request);
  } else {
    recorder_.OnSent(connection.backend, now_ns, now_ns);
    Enqueue(request, connection.backend, now_ns);
  }
}

// One of those that last, which may end with this request, or one of its own.
int Simulation::ConnectionOfNext(int64_t now_ns) {
  if (lasting_.empty()) {
    const int connection = Open(now_ns);
    connections_[connection].last = true;
    return connection;
  }
  int& slot = lasting_[choices_.Below(static_cast<uint32_t>(lasting_.size()))];
  const int connection = slot != kNobody ? slot : Open(now_ns);
  const auto requests_each = static_cast<uint32_t>(world_.requests_each);
  const bool last = requests_each > 0 && choices_.Below(requests_each) == 0;
  connections_[connection].last = last;
  slot = last ? kNobody : connection;
  return connection;
}

int Simulation::Open(int64_t now_ns) {
  const int number = connections_.Add(Connection());
  Connection& connection = connections_[number];
  connection.balancer =
      world_.balancers > 1
          ? static_cast<int>(choices_.Below(static_cast<uint32_t>(world_.balancers)))
          : 0;
  const uint64_t client =
      world_.clients > 0 ? choices_.Below(static_cast<uint32_t>(world_.clients)) : choices_.Next();
  Balancer& balancer = balancers_[Place(connection.balancer)];
  // Who comes now goes to the end of the queue.
  Fifo& waits_any = waits_any_[Place(connection.balancer)];
  const int backend =
      waits_any.empty() ? balancer.Pick(SplitMix64(client).Next(), now_ns) : Balancer::kNone;
  connection.wanted = backend;
  if (backend == Balancer::kNone) {
    connections_.Append(&waits_any, number);
  } else if (balancer.full(backend)) {
    connections_.Append(&WaitsFor(connection.balancer, backend), number);
  } else {
    balancer.Take(backend);
    connection.backend = backend;
  }
  return number;
}

Fifo& Simulation::WaitsFor(int balancer, int backend) {
  return waits_for_[Place(balancer) * mean_ns_.size() + Place(backend)];
}

void Simulation::Hold(int number, int request) {
  Connection& connection = connections_[number];
  const int64_t due_ns = requests_[request].due_ns;
  const bool for_any = connection.wanted == Balancer::kNone;
  recorder_.OnWait(due_ns, for_any);
  if (!for_any) recorder_.OnSent(connection.wanted, due_ns, due_ns);
  requests_.Append(&connection.held, request);
}

// It has a place now.
void Simulation::Start(int number, int backend, int64_t now_ns) {
  Connection& connection = connections_[number];
  connection.backend = backend;
  while (!connection.held.empty()) {
    const int request = requests_.Pop(&connection.held);
    if (connection.wanted == Balancer::kNone) {
      recorder_.OnWaitForAnyEnds();
      recorder_.OnSent(backend, requests_[request].due_ns, now_ns);
    }
    Enqueue(request, backend, now_ns);
  }
}

void Simulation::Enqueue(int request, int backend, int64_t now_ns) {
  Fifo& queue = queues_[Place(backend)];
  requests_.Append(&queue, request);
  if (queue.size == 1) Serve(backend, now_ns);
}

void Simulation::Serve(int backend, int64_t now_ns) {
  const Fifo& queue = queues_[Place(backend)];
  if (queue.empty()) return departures_.Set(backend, kNever);
  const double cost_ns = requests_[queue.first].cost * mean_ns_[Place(backend)];
  departures_.Set(backend, now_ns + static_cast<int64_t>(cost_ns + 0.5));
}

void Simulation::Depart(int64_t now_ns) {
  const int backend = departures_.first();
  const int number = requests_.Pop(&queues_[Place(backend)]);
  const Request request = requests_[number];
  requests_.Remove(number);
  recorder_.OnAnswered(backend, request.due_ns, now_ns);
  Serve(backend, now_ns);
  --connections_[request.connection].open;
  if (IsOver(request.connection)) Close(request.connection, now_ns);
}

// Its place goes to the first one that waits for it and still has something to send.
void Simulation::Close(int number, int64_t now_ns) {
  const Connection closed = connections_[number];
  connections_.Remove(number);
  Fifo* waits = &waits_any_[Place(closed.balancer)];
  if (!waits_for_.empty() && waits->empty()) waits = &WaitsFor(closed.balancer, closed.backend);
  while (!waits->empty()) {
    const int next = connections_.Pop(waits);
    if (!IsOver(next)) return Start(next, closed.backend, now_ns);
    connections_.Remove(next);
  }
  balancers_[Place(closed.balancer)].GiveBack(closed.backend);
}

bool Simulation::IsOver(int number) {
  return connections_[number].last && connections_[number].open == 0;
}

// No more requests come: who waits for a place of a connection that lasts gets it now.
void Simulation::EndLasting(int64_t now_ns) {
  for (const int number : lasting_) {
    if (number != kNobody) connections_[number].last = true;
  }
  for (const int number : std::exchange(lasting_, {})) {
    if (number == kNobody || connections_[number].backend == Balancer::kNone) continue;
    if (IsOver(number)) Close(number, now_ns);
  }
}

void Simulation::Join() {
  const int64_t now_ns = std::exchange(join_ns_, kNever);
  const auto lookup = MakeLookup(world_, policy_, world_.all_backends());
  for (int i = 0; i < world_.balancers; ++i) {
    Balancer& balancer = balancers_[Place(i)];
    balancer.Join(world_.all_backends(), now_ns, lookup);
    Fifo& waits = waits_any_[Place(i)];
    while (!waits.empty()) {
      const int backend = balancer.Pick(0, now_ns);
      if (backend == Balancer::kNone) break;
      balancer.Take(backend);
      Start(connections_.Pop(&waits), backend, now_ns);
    }
  }
}

}  // namespace l4lb::lab

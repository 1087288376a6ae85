// SPDX-License-Identifier: Apache-2.0
//
// A worker with as many sessions as wanted, whose engine does nothing: every connection is
// established at once, and no byte ever moves.  For benchmarks of what is done to sessions.
#pragma once

#include <errno.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "l4lb/proxy/worker.h"

namespace l4lb {

class IdleEngine final : public Engine {
 public:
  void Accept(AcceptOp& op) override { op.in_flight = true; }
  void Connect(ConnectOp& op) override {
    op.fd = 0;
    End(op, 0);
  }
  void Pump(PumpOp& op, std::string_view) override {
    op.in_flight = true;
    op.moved_at_ms = now_ms_;
  }
  void Watch(WatchOp& op) override { op.in_flight = true; }
  void Send(SendOp& op) override { End(op, 0); }
  void Read(ReadOp& op) override {
    op.size = 0;
    End(op, 0);
  }
  void Cancel(Op& op) override {
    if (op.in_flight) End(op, ECANCELED);
  }
  void SetKeepalive(int, const KeepaliveSeconds&) override {}
  void Shutdown(int) override {}
  void Close(int, CloseKind) override {}
  int64_t Unacked(int) override { return 0; }
  int64_t Unsent(int) override { return 0; }
  int64_t Unread(int) override { return 0; }
  AckState Acknowledgements(int) override { return {}; }
  void Poll(int64_t) override {
    std::vector<Op*> ended;
    ended.swap(ended_);
    for (Op* op : ended) {
      op->in_flight = false;
      op->done(*op);
    }
  }
  void Wake() override {}

  void MoveTo(int64_t now_ms) { now_ms_ = now_ms; }

 private:
  void End(Op& op, int error) {
    op.in_flight = true;
    op.error = error;
    ended_.push_back(&op);
  }

  std::vector<Op*> ended_;
};

class IdleWorker {
 public:
  IdleWorker(int sessions, int backends) {
    pool_->pool = std::make_shared<Pool>("back", PoolLimits{});
    for (int index = 0; index < backends; ++index) {
      pool_->members.push_back({pool_->pool->Add("b" + std::to_string(index), Address(80), {})});
    }
    WorkerPlan plan;
    plan.pools.push_back({.snapshot = pool_});
    plan.listeners.push_back({.names = &names_, .limits = &limits_});
    plan.places = &places_;
    plan.crew = &crew_;
    plan.events = events_.get();
    auto engine = std::make_unique<IdleEngine>();
    engine_ = engine.get();
    worker_ = std::make_unique<Worker>(std::move(engine), plan);
    for (int index = 0; index < sessions; ++index) {
      engine_->MoveTo(index);
      limits_.places->TryTake();
      places_.TryTake();
      crew_.Place(0, index);
      worker_->TakeOver(0, 0, Address(static_cast<uint16_t>(index)));
      worker_->Turn();  // Connected,
      worker_->Turn();  // and the client not watched any more.
    }
  }
  ~IdleWorker() {
    worker_->StopListening();
    worker_->CloseSessions(CloseReason::shutdown);
    while (!worker_->idle()) worker_->Turn();
  }

  IdleEngine& engine() { return *engine_; }
  SessionSet& sessions() { return worker_->sessions(); }
  const std::shared_ptr<Backend>& backend(int index) { return pool_->members[index].backend; }

 private:
  static SocketAddress Address(uint16_t port) {
    SocketAddress address;
    std::string error;
    SocketAddress::Parse("10.0.0.1:" + std::to_string(std::max<int>(port, 1)), &address, &error);
    return address;
  }

  std::unique_ptr<EventLog> events_ = MakeEventLog();
  Places places_{1'000'000};
  ListenerLimits limits_;
  Crew crew_{1};
  SessionNames names_{.listener = "front", .pool = "back", .policy = "round_robin"};
  std::shared_ptr<PoolSnapshot> pool_ = std::make_shared<PoolSnapshot>();
  IdleEngine* engine_ = nullptr;  // The worker's.
  std::unique_ptr<Worker> worker_;
};

}  // namespace l4lb

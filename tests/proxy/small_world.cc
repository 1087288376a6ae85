// SPDX-License-Identifier: Apache-2.0
#include "tests/proxy/small_world.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace l4lb {

class SmallWorld::Silence final : public EventLog {
 public:
  void Post(Event, std::string_view) override {}
  uint64_t suppressed() const override { return 0; }
};

SmallWorld::SmallWorld(const Options& options)
    : events_(std::make_unique<Silence>()), pool_(std::make_shared<PoolSnapshot>()) {
  pool_->pool = std::make_shared<Pool>("back", PoolLimits{});
  pool_->policy = PolicyKind::kRoundRobin;
  pool_->max_age = options.max_age;
  for (int index = 0; index < options.backends; ++index) {
    FakeListener& listener = network_.Listen(AF_INET, {});
    backend_listeners_.push_back(&listener);
    pool_->members.push_back({pool_->pool->Add("b" + std::to_string(index), listener.address,
                                               {.max_connections = options.backend_limit})});
  }
  auto engine = std::make_unique<FakeEngine>(network_, FakeEngineOptions{});
  engine_ = engine.get();
  FakeListener& near = network_.Listen(AF_INET, {});
  near_address_ = near.address;
  WorkerPlan plan;
  plan.pools.push_back({.snapshot = pool_});
  plan.listeners.push_back({.names = &names_,
                            .settings = {.idle_timeout_ms = options.idle_timeout_ms},
                            .limits = &limits_,
                            .sockets = {{.fd = engine_->fds().Open(near)}},
                            .meters = meters_});
  plan.places = &places_;
  plan.crew = &crew_;
  plan.events = events_.get();
  worker_ = std::make_unique<Worker>(std::move(engine), plan);
  worker_->Open();
}

SmallWorld::~SmallWorld() {
  worker_->StopListening();
  worker_->CloseSessions(CloseReason::shutdown);
  worker_->Hurry();
  while (!worker_->idle()) worker_->Turn();
  sessions_.clear();
  for (FakeListener* listener : backend_listeners_) network_.Close(*listener);
}

void SmallWorld::RunFor(int64_t ms) {
  const int64_t end_ms = now_ms() + ms;
  network_.At(end_ms, [] {});
  do {
    worker_->Turn();
    AcceptAtBackends();
    WatchClients();
  } while (now_ms() < end_ms);
}

void SmallWorld::AcceptAtBackends() {
  for (size_t index = 0; index < backend_listeners_.size(); ++index) {
    while (FakeSocket* socket = network_.Accept(*backend_listeners_[index])) {
      // Connections are established in the order of the sessions.
      const auto session = std::find_if(sessions_.begin(), sessions_.end(), [](const Session& s) {
        return s.client != nullptr && s.backend_index < 0;
      });
      auto peer = std::make_unique<MemoryPeer>(network_, *socket);
      if (session == sessions_.end()) {
        unclaimed_.push_back(std::move(peer));
        continue;
      }
      session->backend = std::move(peer);
      session->backend_index = static_cast<int>(index);
    }
  }
}

void SmallWorld::WatchClients() {
  for (Session& session : sessions_) {
    if (session.client == nullptr || !session.reads) continue;
    session.got += session.client->Receive();
    if (session.client->end() == Peer::End::kOpen || session.end != Peer::End::kOpen) continue;
    session.end = session.client->end();
    session.ended_ms = now_ms();
    if (session.polite) session.client = nullptr;
  }
}

SmallWorld::Session& SmallWorld::Dial() {
  int error = 0;
  FakeSocket* socket = network_.Connect(near_address_, {}, &error);
  CHECK_EQ(error, 0);
  Session& session = sessions_.emplace_back();
  session.client = std::make_unique<MemoryPeer>(network_, *socket);
  session.address = session.client->address().ToString();
  return session;
}

SmallWorld::Session& SmallWorld::Connect() {
  const size_t index = sessions_.size();
  Dial();
  while (sessions_[index].backend == nullptr) RunFor(1);
  return sessions_[index];
}

void SmallWorld::Connect(int count) {
  for (; count > 0; --count) Connect();
}

void SmallWorld::HandOver() {
  const auto [near, far] = network_.Pair({}, {});
  Session& session = sessions_.emplace_back();
  session.client = std::make_unique<MemoryPeer>(network_, *far);
  session.address = session.client->address().ToString();
  // As the other worker has done.
  CHECK(places_.TryTake() && limits_.places->TryTake());
  crew_.Place(0, now_ms());
  worker_->TakeOver(0, engine_->fds().Open(*near), session.client->address());
}

void SmallWorld::DelayConnects(int backend, int64_t ms) {
  network_.SetFate(this->backend(backend)->address(), {.delay_ms = ms});
}

void SmallWorld::Adopt(const AgeLimit& max_age) {
  auto snapshot = std::make_shared<PoolSnapshot>(*pool_);
  snapshot->max_age = max_age;
  worker_->Adopt(0, snapshot);
}

void SmallWorld::ChangeIdleTimeout(int64_t idle_timeout_ms) {
  worker_->ChangeListener(0, names_, {.idle_timeout_ms = idle_timeout_ms});
}

int SmallWorld::EndedBetween(int64_t from_ms, int64_t to_ms) const {
  return static_cast<int>(
      std::count_if(sessions_.begin(), sessions_.end(), [=](const Session& session) {
        return session.ended_ms >= from_ms && session.ended_ms < to_ms;
      }));
}

uint64_t SmallWorld::Closed(CloseReason reason) const {
  return counters().closed_by_reason[static_cast<size_t>(reason)].Get();
}

}  // namespace l4lb

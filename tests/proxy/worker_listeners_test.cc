// SPDX-License-Identifier: Apache-2.0
//
// One worker with two listeners, each on a pool of its own, over an engine in memory: one is
// stopped and forgotten, or changed, while the other goes on.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "glog/logging.h"
#include "l4lb/proxy/worker.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_network.h"
#include "tests/support/memory_peer.h"

namespace l4lb {
namespace {

class Silence final : public EventLog {
 public:
  void Post(Event, std::string_view) override {}
  uint64_t suppressed() const override { return 0; }
};

constexpr uint32_t kFirst = 11;  // The listeners' ids, and those of their pools.
constexpr uint32_t kSecond = 12;

class WorkerListenersTest : public ::testing::Test {
 protected:
  struct Seat {
    ListenerLimits limits;
    SocketAddress address;
    FakeListener* backend = nullptr;
    std::shared_ptr<ListenerMeters> meters = std::make_shared<ListenerMeters>();
    std::shared_ptr<ListenerProgress> progress = std::make_shared<ListenerProgress>();
  };

  WorkerListenersTest() {
    auto engine = std::make_unique<FakeEngine>(network_, FakeEngineOptions{});
    engine_ = engine.get();
    WorkerPlan plan;
    plan.places = &places_;
    plan.crew = &crew_;
    plan.events = &events_;
    for (const uint32_t id : {kFirst, kSecond}) {
      Seat& seat = this->seat(id);
      seat.backend = &network_.Listen(AF_INET, {});
      auto snapshot = std::make_shared<PoolSnapshot>();
      snapshot->pool = std::make_shared<Pool>("pool", PoolLimits{});
      snapshot->policy = PolicyKind::kRoundRobin;
      snapshot->members.push_back({snapshot->pool->Add("b", seat.backend->address, {})});
      plan.pools.push_back({.id = id, .snapshot = snapshot});
      FakeListener& near = network_.Listen(AF_INET, {});
      seat.address = near.address;
      plan.listeners.push_back({.id = id,
                                .names = &names_,
                                .pool = id,
                                .limits = &seat.limits,
                                .sockets = {{.address = 1, .fd = engine->fds().Open(near)}},
                                .meters = seat.meters,
                                .progress = seat.progress});
    }
    worker_ = std::make_unique<Worker>(std::move(engine), plan);
    worker_->Open();
  }
  ~WorkerListenersTest() override {
    worker_->StopListening();
    worker_->CloseSessions(CloseReason::shutdown);
    worker_->Hurry();
    while (!worker_->idle()) worker_->Turn();
    backends_.clear();
    for (Seat& seat : seats_) network_.Close(*seat.backend);
  }

  Seat& seat(uint32_t id) { return seats_[id - kFirst]; }
  void RunFor(int64_t ms) {
    const int64_t end_ms = clock_.NowMs() + ms;
    network_.At(end_ms, [] {});
    do {
      worker_->Turn();
      for (Seat& seat : seats_) {
        while (FakeSocket* socket = network_.Accept(*seat.backend)) {
          backends_.push_back(std::make_unique<MemoryPeer>(network_, *socket));
        }
      }
    } while (clock_.NowMs() < end_ms);
  }
  std::unique_ptr<MemoryPeer> Dial(uint32_t listener) {
    int error = 0;
    FakeSocket* socket = network_.Connect(seat(listener).address, {}, &error);
    return socket == nullptr ? nullptr : std::make_unique<MemoryPeer>(network_, *socket);
  }
  uint64_t Accepted(uint32_t listener) { return seat(listener).meters->counters.accepted.Get(); }

  ManualClock clock_;
  Dice dice_{1};
  FakeNetwork network_{clock_, dice_};
  Silence events_;
  Places places_{100};
  Crew crew_{1};
  SessionNames names_{.listener = "front", .pool = "pool", .policy = "round_robin"};
  Seat seats_[2];
  std::vector<std::unique_ptr<MemoryPeer>> backends_;
  FakeEngine* engine_ = nullptr;  // The worker's.
  std::unique_ptr<Worker> worker_;
};

TEST_F(WorkerListenersTest, AStoppedListenerTakesWhoWaitsAndThenNobody) {
  std::vector<std::unique_ptr<MemoryPeer>> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(Dial(kFirst));
  worker_->StopListener(kFirst);
  EXPECT_FALSE(seat(kFirst).progress->closed);
  RunFor(10);
  EXPECT_EQ(Accepted(kFirst), 5u);
  EXPECT_EQ(backends_.size(), 5u);
  EXPECT_TRUE(seat(kFirst).progress->closed);
  EXPECT_EQ(Dial(kFirst), nullptr) << "its socket is closed";
  const auto other = Dial(kSecond);
  RunFor(10);
  EXPECT_EQ(Accepted(kSecond), 1u);
  EXPECT_FALSE(seat(kSecond).progress->closed);
  EXPECT_FALSE(worker_->closed());
}

TEST_F(WorkerListenersTest, ARemovedListenerIsForgottenWithItsLastSession) {
  auto client = Dial(kFirst);
  RunFor(10);
  worker_->StopListener(kFirst);
  RunFor(10);
  worker_->RemoveListener(kFirst);
  RunFor(1'000);
  EXPECT_FALSE(seat(kFirst).progress->removed);
  EXPECT_EQ(client->Send("x"), 1u);
  RunFor(10);
  EXPECT_EQ(backends_[0]->Receive(), "x") << "it still serves";
  client = nullptr;
  backends_.clear();
  RunFor(10);
  EXPECT_TRUE(seat(kFirst).progress->removed);
  EXPECT_EQ(seat(kFirst).meters->counters.closed.Get(), 1u);
  worker_->RemovePool(kFirst);
  const auto other = Dial(kSecond);
  RunFor(10);
  EXPECT_EQ(Accepted(kSecond), 1u);
}

TEST_F(WorkerListenersTest, AStoppedListenerServesItsQueueAsPlacesBecomeFree) {
  seat(kFirst).limits.places->SetLimit(1);
  std::vector<std::unique_ptr<MemoryPeer>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(Dial(kFirst));
  RunFor(10);
  EXPECT_EQ(Accepted(kFirst), 1u);
  worker_->StopListener(kFirst);
  RunFor(10);
  EXPECT_FALSE(seat(kFirst).progress->closed) << "two wait";
  for (uint64_t served = 2; served <= 3; ++served) {
    clients.erase(clients.begin());
    backends_.clear();
    RunFor(10);
    EXPECT_EQ(Accepted(kFirst), served);
  }
  EXPECT_TRUE(seat(kFirst).progress->closed);
}

// Another worker may not have it yet, and would be handed a connection of a listener that it does
// not know.
TEST_F(WorkerListenersTest, AnAddedListenerAcceptsNothingBeforeItIsOpened) {
  constexpr uint32_t kThird = 13;
  ListenerLimits limits;
  FakeListener& near = network_.Listen(AF_INET, {});
  WorkerPlan::Listen plan = {.id = kThird, .names = &names_, .pool = kFirst, .limits = &limits};
  plan.sockets.push_back({.address = 1, .fd = engine_->fds().Open(near)});
  const auto meters = plan.meters;
  worker_->AddListener(std::move(plan));
  int error = 0;
  MemoryPeer client(network_, *network_.Connect(near.address, {}, &error));
  RunFor(1'000);
  EXPECT_EQ(meters->counters.accepted.Get(), 0u);
  worker_->OpenListener(kThird);
  RunFor(10);
  EXPECT_EQ(meters->counters.accepted.Get(), 1u);
  worker_->StopListener(kThird);
  worker_->CloseSessions(CloseReason::shutdown);
  RunFor(2'000);
  worker_->RemoveListener(kThird);
  RunFor(10);
}

TEST_F(WorkerListenersTest, AChangedTimeoutCountsForSessionsThatAreThere) {
  const auto client = Dial(kFirst);
  const auto other = Dial(kSecond);
  RunFor(10);
  worker_->ChangeListener(kFirst, names_, {.idle_timeout_ms = 500});
  RunFor(400);
  EXPECT_EQ(client->end(), Peer::End::kOpen);
  RunFor(200);
  (void)client->Receive();
  (void)other->Receive();
  EXPECT_NE(client->end(), Peer::End::kOpen);
  EXPECT_EQ(other->end(), Peer::End::kOpen);
  const auto& reasons = seat(kFirst).meters->counters.closed_by_reason;
  RunFor(2'000);
  EXPECT_EQ(reasons[static_cast<size_t>(CloseReason::idle_timeout)].Get(), 1u);
}

}  // namespace
}  // namespace l4lb

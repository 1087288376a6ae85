// SPDX-License-Identifier: Apache-2.0
//
// All targets of a checker and their backends, over the engine in memory, in virtual time.  For the
// tests of CheckLoop.
#pragma once

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "l4lb/health/check_loop.h"
#include "tests/support/fake_engine.h"
#include "tests/support/memory_peer.h"

namespace l4lb {

/// Accepts, notes when, and closes after the FIN.
class LoopBackend {
 public:
  explicit LoopBackend(FakeNetwork& network)
      : network_(network), listener_(network.Listen(AF_INET, {})) {
    listener_.on_arrival = [this] { network_.At(network_.clock().NowMs(), [this] { Accept(); }); };
  }

  const SocketAddress& address() const { return listener_.address; }
  void Refuse(bool refuse) { network_.SetFate(address(), {.error = refuse ? ECONNREFUSED : 0}); }
  void Vanish(bool vanish) { network_.SetFate(address(), {.blackholed = vanish}); }
  void Delay(int64_t ms) { network_.SetFate(address(), {.delay_ms = ms}); }

  std::vector<int64_t> arrivals_ms;
  bool keeps_open = false;  // Does not care for a FIN.

 private:
  void Accept() {
    while (FakeSocket* socket = network_.Accept(listener_)) {
      arrivals_ms.push_back(network_.clock().NowMs());
      peers_.push_back(std::make_unique<MemoryPeer>(network_, *socket));
      if (!keeps_open) CloseLater();
    }
  }
  void CloseLater() {
    network_.At(network_.clock().NowMs() + 1, [this] {
      std::erase_if(peers_, [](const auto& peer) {
        peer->Receive();
        return peer->end() != Peer::End::kOpen;
      });
      if (!peers_.empty()) CloseLater();
    });
  }

  FakeNetwork& network_;
  FakeListener& listener_;
  std::vector<std::unique_ptr<MemoryPeer>> peers_;
};

class CheckLoopTest : public ::testing::Test {
 protected:
  CheckLoopTest() { Start({}); }

  void Start(const EngineFaults& faults, int most_in_flight = 256) {
    loop_.reset();
    engine_ = std::make_unique<FakeEngine>(network_, FakeEngineOptions{.faults = faults});
    CheckLoopOptions options{.most_in_flight = most_in_flight, .seed = dice_.seed()};
    options.on_news = [this](const CheckNews& news) {
      news_.push_back(news);
      news_at_ms_.push_back(Now());
    };
    loop_ = std::make_unique<CheckLoop>(*engine_, board_, std::move(options));
  }
  ~CheckLoopTest() override {
    loop_.reset();
    EXPECT_EQ(engine_->ops_in_flight(), 0u);
  }

  int64_t Now() { return clock_.NowMs(); }
  void Run(int64_t ms) {
    network_.At(Now() + ms, [] {});  // A turn there.
    for (const int64_t end_ms = Now() + ms; Now() < end_ms;) {
      loop_->Work();
      loop_->Wait();
    }
    loop_->Work();
  }
  LoopBackend& NewBackend() {
    backends_.push_back(std::make_unique<LoopBackend>(network_));
    return *backends_.back();
  }
  void Add(uint64_t id, const LoopBackend& backend, const CheckPlan& plan,
           Health health = Health::kUnknown, int64_t first_in_ms = 0) {
    loop_->Add(id, {backend.address(), std::make_shared<CheckPlan>(plan), health, first_in_ms});
  }
  CheckStatus Status(uint64_t id) {
    const auto all = board_.Read(Now());
    const auto found = all.find(id);
    EXPECT_NE(found, all.end());
    return found == all.end() ? CheckStatus{} : found->second;
  }
  static std::vector<int64_t> Intervals(std::vector<int64_t> times) {
    std::adjacent_difference(times.begin(), times.end(), times.begin());
    times.erase(times.begin());
    return times;
  }

  ManualClock clock_;
  Dice dice_{std::random_device{}()};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(dice_.seed())};
  FakeNetwork network_{clock_, dice_};
  std::unique_ptr<FakeEngine> engine_;
  StatusBoard board_;
  std::vector<CheckNews> news_;
  std::vector<int64_t> news_at_ms_;
  std::vector<std::unique_ptr<LoopBackend>> backends_;
  std::unique_ptr<CheckLoop> loop_;
};

inline CheckPlan Every(int64_t interval_ms) { return {.interval_ms = interval_ms}; }

}  // namespace l4lb

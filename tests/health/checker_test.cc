// SPDX-License-Identifier: Apache-2.0
//
// The checker as a whole: its thread, its mailbox, and real sockets.  What it does and when is in
// check_loop_test.cc.
#include "l4lb/health/checker.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gtest/gtest.h"
#include "l4lb/engine/make_engine.h"
#include "tests/support/socket_peer.h"

namespace l4lb {
namespace {

constexpr std::chrono::seconds kPatience(20);
// Never ends in a test: what happens comes from a wake-up or a backend.
constexpr int64_t kNeverMs = 3'600'000;

/// Accepts while it lives, answers `answer` to whatever comes, and closes after the FIN.
class Backend {
 public:
  explicit Backend(std::string answer = "+PONG\r\n")
      : answer_(std::move(answer)), listener_(far_ends_.ListenFar(FarEnds::Family::kIpv4)) {
    address_ = listener_->address();
    thread_ = std::thread([this] { Run(); });
  }
  ~Backend() { Die(); }

  const SocketAddress& address() const { return address_; }
  /// Its port is free from here on, and connections to it are refused.
  void Die() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  bool saw_reset() const { return saw_reset_; }
  size_t most_open() const { return most_open_; }

 private:
  void Run() {
    while (!stop_) {
      while (auto peer = listener_->Accept()) peers_.push_back(std::move(peer));
      most_open_ = std::max(most_open_.load(), peers_.size());
      std::erase_if(peers_, [this](const std::unique_ptr<Peer>& peer) {
        if (!peer->Receive().empty()) peer->Send(answer_);
        if (peer->end() == Peer::End::kReset) saw_reset_ = true;
        return peer->end() != Peer::End::kOpen;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    peers_.clear();
    listener_.reset();
  }

  const std::string answer_;
  SocketFarEnds far_ends_;
  std::unique_ptr<PeerListener> listener_;
  SocketAddress address_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> saw_reset_ = false;
  std::atomic<size_t> most_open_ = 0;
  std::thread thread_;
};

class CheckerTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    if (GetParam() == EngineKind::kUring) {
      if (const absl::Status status = UringAvailable(); !status.ok()) GTEST_SKIP() << status;
    }
    Start();
  }
  void Start() {
    auto checker = Checker::Start({.engine = GetParam(), .on_news = [this](const CheckNews& news) {
                                     const std::lock_guard lock(mutex_);
                                     news_.push_back(news);
                                     changed_.notify_all();
                                   }});
    ASSERT_TRUE(checker.ok()) << checker.status();
    checker_ = *std::move(checker);
  }

  void Add(uint64_t id, const SocketAddress& address, const CheckPlan& plan,
           int64_t first_in_ms = 0) {
    checker_->Add(id, {.address = address,
                       .plan = std::make_shared<CheckPlan>(plan),
                       .first_in_ms = first_in_ms});
  }
  bool AwaitNews(const std::function<bool(const CheckNews&)>& wanted) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience,
                             [&] { return std::any_of(news_.begin(), news_.end(), wanted); });
  }
  bool AwaitHealth(uint64_t id, Health health) {
    return AwaitNews([=](const CheckNews& news) {
      return news.target == id && news.changed && news.health == health;
    });
  }
  bool AwaitStatus(
      const std::function<bool(const absl::flat_hash_map<uint64_t, CheckStatus>&)>& wanted) {
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    while (!wanted(checker_->Status())) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  void ForgetNews() {
    const std::lock_guard lock(mutex_);
    news_.clear();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<CheckNews> news_;
  std::unique_ptr<Checker> checker_;
};

CheckPlan Ping() {
  return {.interval_ms = 20,
          .fast_interval_ms = 10,
          .timeout_ms = kNeverMs,
          .send = "PING\r\n",
          .expected = ExpectText("+PONG")};
}

TEST_P(CheckerTest, UpDownAndUpAgain) {
  auto backend = std::make_unique<Backend>();
  const SocketAddress address = backend->address();
  Add(1, address, Ping());
  ASSERT_TRUE(AwaitHealth(1, Health::kUp));
  ASSERT_TRUE(AwaitStatus([](const auto& all) { return all.at(1).passed >= 3; }));
  EXPECT_FALSE(backend->saw_reset());
  EXPECT_EQ(backend->most_open(), 1u);
  backend->Die();
  ASSERT_TRUE(AwaitHealth(1, Health::kDown));
  ASSERT_TRUE(AwaitStatus([](const auto& all) { return all.at(1).failed >= 5; }));
  EXPECT_EQ(checker_->Status().at(1).health, Health::kDown);
  EXPECT_EQ(checker_->Status().at(1).last_reason, "connection refused");
}

TEST_P(CheckerTest, ManyTargetsAtOnce) {
  Backend good;
  Backend bad("-ERR\r\n");
  CheckPlan impatient = Ping();
  impatient.limit_bytes = 6;  // So many are enough to know.
  constexpr uint64_t kCount = 300;
  for (uint64_t id = 0; id < kCount; ++id) {
    const Backend& backend = id % 3 == 0 ? bad : good;
    Add(id, backend.address(), impatient);
  }
  ASSERT_TRUE(AwaitStatus([](const auto& all) {
    return all.size() == kCount && std::all_of(all.begin(), all.end(), [](const auto& each) {
             return each.second.health == (each.first % 3 == 0 ? Health::kDown : Health::kUp);
           });
  }));
}

// A task wakes the thread from a wait without an end, from the very first one on.
TEST_P(CheckerTest, NothingLostBetweenTwoWaits) {
  Backend backend;
  CheckPlan once = Ping();
  once.interval_ms = once.fast_interval_ms = kNeverMs;
  for (uint64_t id = 0; id < 100; ++id) {
    if (id % 10 == 0) {
      checker_.reset();
      ForgetNews();
      Start();
    }
    Add(id, backend.address(), once);
    ASSERT_TRUE(AwaitHealth(id, Health::kUp)) << id;
  }
}

TEST_P(CheckerTest, GoodChecksOnDemand) {
  Backend backend;
  Add(1, backend.address(), Ping());
  ASSERT_TRUE(AwaitHealth(1, Health::kUp));
  checker_->WantGoodChecks(1, true);
  EXPECT_TRUE(AwaitNews([](const CheckNews& news) { return news.passed && !news.changed; }));
}

TEST_P(CheckerTest, RemovedIsForgotten) {
  Backend backend;
  Add(1, backend.address(), Ping());
  Add(2, backend.address(), Ping());
  ASSERT_TRUE(AwaitHealth(1, Health::kUp));
  ASSERT_TRUE(AwaitHealth(2, Health::kUp));
  checker_->Remove(1);
  ASSERT_TRUE(AwaitStatus([](const auto& all) { return all.size() == 1; }));
  ForgetNews();
  Add(1, backend.address(), Ping());  // Anew.
  ASSERT_TRUE(AwaitHealth(1, Health::kUp));
}

// With checks in flight that would last an hour, with checks that are due, with none at all.
TEST_P(CheckerTest, EndsAtOnce) {
  checker_.reset();
  SocketFarEnds far_ends;
  const SocketAddress silent = far_ends.SilentAddress();
  const auto deaf = far_ends.ListenFar(FarEnds::Family::kIpv4);  // Never accepts, never answers.
  for (const int targets : {0, 1, 50, 600}) {
    Start();
    for (int id = 0; id < targets; ++id) {
      Add(id, id % 2 == 0 ? silent : deaf->address(), Ping());
    }
    const auto start = std::chrono::steady_clock::now();
    checker_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience) << targets;
    EXPECT_TRUE(news_.empty());
  }
}

// Whoever ends it races with its thread, which may be awake for another reason.
TEST_P(CheckerTest, EndsWhileItIsBusy) {
  Backend backend;
  CheckPlan busy = Ping();
  busy.interval_ms = busy.fast_interval_ms = 1;
  for (int i = 0; i < 50; ++i) {
    checker_.reset();
    Start();
    for (uint64_t id = 0; id < 5; ++id) Add(id, backend.address(), busy);
    if (i % 2 == 0) {
      ASSERT_TRUE(AwaitHealth(4, Health::kUp));
    }
    ForgetNews();
  }
}

// The others come while the first is served.
TEST_P(CheckerTest, CallsFromSeveralThreads) {
  Backend backend;
  std::vector<std::thread> callers;
  for (uint64_t first = 0; first < 4; ++first) {
    callers.emplace_back([&, first] {
      for (int i = 0; i < 50; ++i) {
        const uint64_t id = first * 1000 + i;
        Add(id, backend.address(), Ping());
        checker_->WantGoodChecks(id, true);
        checker_->SetMostInFlight(8 + i);
        (void)checker_->Status();
        if (i % 5 != 0) checker_->Remove(id);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(AwaitStatus([](const auto& all) {
    return all.size() == 40 && std::all_of(all.begin(), all.end(), [](const auto& each) {
             return each.second.health == Health::kUp;
           });
  }));
}

INSTANTIATE_TEST_SUITE_P(Engines, CheckerTest,
                         ::testing::Values(EngineKind::kEpoll, EngineKind::kUring),
                         [](const auto& info) {
                           return info.param == EngineKind::kEpoll ? "Epoll" : "Uring";
                         });

}  // namespace
}  // namespace l4lb

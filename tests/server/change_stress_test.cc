// SPDX-License-Identifier: Apache-2.0
//
// Everything that the control thread can do to a process, by chance, against live traffic: nobody
// is refused who need not be, nothing is lost track of, and the process ends.  What the sanitizers
// are to look at.  L4LB_SEED repeats a run.
#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/reload_fixture.h"
#include "tests/server/temporary_folder.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr absl::Duration kTime = absl::Seconds(1);
constexpr int kCrowd = 6;

uint64_t Seed() {
  const char* const given = std::getenv("L4LB_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

/// Clients that ask some questions each, or leave at once, until they are stopped.
class Traffic {
 public:
  explicit Traffic(std::vector<std::string> addresses) : addresses_(std::move(addresses)) {
    for (int i = 0; i < kCrowd; ++i) {
      threads_.emplace_back([this, i] { Run(Dice(static_cast<uint64_t>(i) + 1)); });
    }
  }
  ~Traffic() { Stop(); }
  void Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  int served() const { return served_; }

 private:
  void Run(Dice dice) {
    while (!stopping_) {
      LetterClient client(addresses_[dice.Below(addresses_.size())]);
      if (!client.connected()) {
        absl::SleepFor(absl::Milliseconds(1));
        continue;
      }
      for (auto questions = dice.Below(4); questions > 0; --questions) {
        if (client.Ask() == LetterClient::kNobody) break;
        ++served_;
        if (dice.Chance(0.2)) absl::SleepFor(absl::Milliseconds(dice.Between(1, 30)));
      }
    }
  }

  const std::vector<std::string> addresses_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> served_{0};
  std::vector<std::thread> threads_;
};

class ChangeStressTest : public ReloadFixture {
 protected:
  static std::string Letter(Dice& dice) { return {static_cast<char>('a' + dice.Below(3))}; }
  static std::string PoolName(Dice& dice) { return dice.Chance(0.5) ? "back" : "next"; }

  Config RandomConfig(Dice& dice) {
    Config config;
    config.workers = 2;
    config.engine = GetParam();
    config.drain_timeout = absl::Milliseconds(dice.Between(0, 100));
    config.drain_spread = absl::Milliseconds(dice.Between(0, 50));
    config.max_connections = dice.Chance(0.2) ? dice.Between(2, 6) : 0;
    for (const char* name : {"back", "next"}) {
      std::string letters = "abc";
      dice.Shuffle(letters);
      letters.resize(1 + dice.Below(3));
      Config::Pool pool = PoolOf(name, letters);
      pool.policy = static_cast<Config::Policy>(dice.Below(6));
      pool.table_size = 251;
      pool.on_remove = absl::Milliseconds(dice.Between(0, 100));
      pool.max_connections = dice.Chance(0.3) ? dice.Between(1, 4) : 0;
      pool.queue.per = dice.Chance(0.5) ? Config::QueuePer::kBackend : Config::QueuePer::kPool;
      for (Config::Backend& backend : pool.backends) {
        backend.max_connections = dice.Chance(0.3) ? dice.Between(1, 3) : 0;
        backend.weight = dice.Between(1, 3);
      }
      config.pools.push_back(pool);
    }
    if (dice.Chance(0.3)) config.pools.pop_back();
    config.listeners.push_back(ListenerOf("front", "back", front_));
    if (dice.Chance(0.7)) config.listeners.push_back(ListenerOf("local", "back", local()));
    for (Config::Listener& listener : config.listeners) {
      listener.pool = config.pools[dice.Below(config.pools.size())].name;
      listener.max_connections = dice.Chance(0.3) ? dice.Between(1, 4) : 0;
      listener.per_source.max_connections = dice.Chance(0.3) ? dice.Between(1, 4) : 0;
      listener.accept_rate = dice.Chance(0.1) ? 2'000 : 0;
    }
    return config;
  }
  Config Plain() {
    Config config = FrontToBack("abc");
    config.listeners[0].bind = {front_};
    return config;
  }
  std::string local() const { return "unix:" + folder_.path("socket"); }

  void ChangeSomething(Dice& dice) {
    const std::string pool = PoolName(dice);
    switch (dice.Below(9)) {
      case 0:
      case 1:
      case 2: {
        const auto report = server().Reload(RandomConfig(dice));
        EXPECT_TRUE(report.ok()) << report.status();
        return;
      }
      case 3:
        server()
            .ChangeBackend(pool, Letter(dice),
                           {.state = static_cast<BackendState>(dice.Below(3)),
                            .weight = dice.Between(0, 3),
                            .max_connections = dice.Between(0, 3)})
            .IgnoreError();  // There may be none of this name, as below.
        return;
      case 4:
        server().AddBackend(pool, {.address = backend('a').address()}).IgnoreError();
        return;
      case 5:
        server()
            .RemoveBackend(pool, dice.Chance(0.5) ? Letter(dice) : backend('a').address())
            .IgnoreError();
        return;
      case 6:
        server().CloseSessionsOf(pool, Letter(dice)).IgnoreError();
        server().Rebalance(pool).IgnoreError();
        return;
      case 7:
        server().DrainListener(dice.Chance(0.5) ? "front" : "local").IgnoreError();
        return;
      default: {
        const absl::Status opened = server().UndrainListener(dice.Chance(0.5) ? "front" : "local");
        EXPECT_TRUE(opened.ok() || absl::IsNotFound(opened)) << opened;
      }
    }
  }

  const std::string front_ = FreeAddress();

 private:
  const TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Engines, ChangeStressTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

TEST_P(ChangeStressTest, NothingIsLostTrackOf) {
  Dice dice(Seed());
  SCOPED_TRACE(absl::StrCat("L4LB_SEED=", dice.seed()));
  Start(Plain());
  Traffic traffic({front_, local()});
  int changes = 0;
  for (const absl::Time end = absl::Now() + kTime; absl::Now() < end; ++changes) {
    ChangeSomething(dice);
    if (dice.Chance(0.5)) server().Tick();
    if (dice.Chance(0.2)) ExpectInOrder(server().Status());
    if (dice.Chance(0.2)) server().Sessions({});
    if (dice.Chance(0.3)) absl::SleepFor(absl::Milliseconds(dice.Between(1, 20)));
  }
  RecordProperty("changes", changes);
  RecordProperty("served", traffic.served());
  // Whatever has become of it, a plain configuration puts it right.
  Config plain = Plain();
  plain.drain_timeout = plain.pools[0].on_remove = absl::ZeroDuration();
  Reload(plain);
  EXPECT_TRUE(server().UndrainListener("front").ok());
  traffic.Stop();
  EXPECT_GT(traffic.served(), 0);
  ExpectAddsUp(StatusWith(0));
  EXPECT_TRUE(AreForgotten());
  for (const char* letter : {"a", "b", "c"}) {
    server()
        .ChangeBackend("back", letter,
                       {.state = BackendState::kReady, .weight = 1, .max_connections = 0})
        .IgnoreError();
  }
  EXPECT_EQ(AskAnew(Address(), 6).find('-'), std::string::npos);
}

}  // namespace
}  // namespace l4lb

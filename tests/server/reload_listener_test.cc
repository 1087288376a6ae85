// SPDX-License-Identifier: Apache-2.0
//
// Listeners that come, go, move and are drained under live sessions.
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "tests/server/reload_fixture.h"
#include "tests/server/temporary_folder.h"

namespace l4lb {
namespace {

class ReloadListenerTest : public ReloadFixture {
 protected:
  /// The listener "front" on "back" (a) or, with `to_next`, on "next" (b).
  Config TwoPools(bool to_next) {
    Config config = FrontToBack("a");
    config.pools.push_back(PoolOf("next", "b"));
    if (to_next) config.listeners[0].pool = "next";
    return config;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, ReloadListenerTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

/// Connects again and again from two threads, and says whether each was served.
class Crowd {
 public:
  explicit Crowd(const std::string& address) {
    for (std::thread& thread : threads_) {
      thread = std::thread([this, address] {
        while (!stopping_) {
          ++asked_;
          if (LetterClient(address).Ask() == LetterClient::kNobody) ++failed_;
        }
      });
    }
  }
  ~Crowd() { Stop(); }
  void Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  void Await(int more) {
    const int until = asked_ + more;
    EXPECT_TRUE(Within([&] { return asked_ > until; }));
  }
  int failed() const { return failed_; }

 private:
  std::atomic<bool> stopping_{false};
  std::atomic<int> asked_{0};
  std::atomic<int> failed_{0};
  std::thread threads_[2];
};

TEST_P(ReloadListenerTest, AListenerComesAndGoes) {
  Start(FrontToBack("a"));
  Config both = FrontToBack("a");
  both.listeners.push_back(ListenerOf("second", "back"));
  both.drain_timeout = absl::Milliseconds(200);
  Reload(both);
  const std::string address = Address("second");
  LetterClient old(address);
  EXPECT_EQ(old.Ask(), 'a');
  Config one = FrontToBack("a");
  one.drain_timeout = absl::Milliseconds(200);
  Reload(one);
  EXPECT_TRUE(Within([&] { return !LetterClient(address).connected(); })) << "nobody listens there";
  const ProcessStatus status = server().Status();
  if (const ListenerStatus* gone = FindListener(status, "second")) {
    EXPECT_TRUE(gone->removed) << "listed until its last session has ended";
  }
  EXPECT_TRUE(old.Ends()) << "L03";
  old.Close();
  EXPECT_TRUE(AreForgotten());
  EXPECT_EQ(FindListener(server().Status(), "second"), nullptr);
  EXPECT_EQ(AskAnew(Address(), 1), "a");
  ExpectAddsUp(StatusWith(0));
}

TEST_P(ReloadListenerTest, APoolsChangeOfAListenerMovesNewSessionsOnly) {
  Start(TwoPools(false));
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  const std::string address = Address();
  Reload(TwoPools(true));
  EXPECT_EQ(Address(), address) << "port 0 stays what the kernel chose";
  EXPECT_TRUE(BecomeServedBy(address, "b"));
  EXPECT_EQ(old.Ask(), 'a');
  ProcessStatus status = StatusWith(1);
  ExpectAddsUp(status);
  const uint64_t accepted = status.listeners[0].sums.accepted;
  EXPECT_EQ(status.listeners[0].sums.closed, accepted - 1) << "its counters go on";
  EXPECT_EQ(status.listeners[0].pool, "next");
  old.Close();
  ExpectAddsUp(StatusWith(0));
  EXPECT_TRUE(AreForgotten());
  EXPECT_EQ(server().Status().listeners[0].sums.closed, accepted);
}

TEST_P(ReloadListenerTest, SocketsThatStayAcceptWithoutAGap) {
  Start(TwoPools(false));
  Crowd crowd(Address());
  for (int round = 0; round < 20; ++round) {
    Reload(TwoPools(round % 2 == 0));
    crowd.Await(5);
    server().Tick();
  }
  crowd.Stop();
  EXPECT_EQ(crowd.failed(), 0);
  ExpectAddsUp(StatusWith(0));
  EXPECT_TRUE(AreForgotten());
}

TEST_P(ReloadListenerTest, AnAddressGoesFromOneListenerToAnotherWithoutAGap) {
  Start(FrontToBack("a"));
  const std::string address = Address();
  Config first = FrontToBack("a");
  first.listeners = {ListenerOf("front", "back", address), ListenerOf("idle", "back")};
  Config second = FrontToBack("a");
  second.listeners = {ListenerOf("idle", "back"), ListenerOf("renamed", "back", address)};
  // From port 0 to the port that it was given: another text, so another socket, while the first has
  // the port.
  EXPECT_TRUE(absl::IsAlreadyExists(server().Reload(first).status()));

  const std::string port = FreeAddress();
  first.listeners[0].bind = second.listeners[1].bind = {port};
  Reload(first);
  Crowd crowd(port);
  for (int round = 0; round < 10; ++round) {
    Reload(round % 2 == 0 ? second : first);
    crowd.Await(5);
  }
  crowd.Stop();
  EXPECT_EQ(crowd.failed(), 0);
  ExpectAddsUp(StatusWith(0));
}

TEST_P(ReloadListenerTest, AnAddressIsAddedAndTakenAway) {
  Config config = FrontToBack("a");
  Start(config);
  const std::string first = Address();
  LetterClient old(first);
  EXPECT_EQ(old.Ask(), 'a');
  config.listeners[0].bind = {"127.0.0.1:0", "127.0.0.2:0"};
  Reload(config);
  const std::vector<std::string> addresses = server().Status().listeners[0].addresses;
  ASSERT_EQ(addresses.size(), 2u);
  EXPECT_EQ(addresses[0], first);
  EXPECT_EQ(AskAnew(addresses[1], 2), "aa");
  config.listeners[0].bind = {"127.0.0.2:0"};
  Reload(config);
  EXPECT_TRUE(Within([&] { return !LetterClient(first).connected(); }));
  EXPECT_EQ(AskAnew(addresses[1], 2), "aa");
  EXPECT_EQ(old.Ask(), 'a');
  ExpectAddsUp(StatusWith(1));
}

TEST_P(ReloadListenerTest, PerSourceIsTurnedOnAndOff) {
  Config off = FrontToBack("a");
  Config on = off;
  on.listeners[0].per_source.max_connections = 2;
  Start(off);
  std::vector<LetterClient> clients;
  const auto connect = [&] { return clients.emplace_back(Address()).Ask(); };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(connect(), 'a');
  Reload(on);
  EXPECT_EQ(connect(), 'a') << "those from before do not count";
  EXPECT_EQ(connect(), 'a');
  EXPECT_EQ(connect(), LetterClient::kNobody);
  on.listeners[0].per_source.max_connections = 3;
  Reload(on);
  EXPECT_EQ(connect(), 'a') << "a limit that changes keeps its counts";
  EXPECT_EQ(connect(), LetterClient::kNobody);
  Reload(off);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(connect(), 'a');
  const ProcessStatus status = StatusWith(11);
  ExpectAddsUp(status);
  EXPECT_EQ(status.listeners[0].sums.closed_by_reason[static_cast<size_t>(CloseReason::limit)], 2u);
  clients.clear();
  ExpectAddsUp(StatusWith(0));
  EXPECT_TRUE(AreForgotten());
}

TEST_P(ReloadListenerTest, AUnixListenerKeepsItsFileOverAChangeAndLosesItAtItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.path("socket");
  const auto config = [&](bool to_next) {
    Config made = TwoPools(to_next);
    made.listeners.push_back(ListenerOf("local", made.listeners[0].pool, "unix:" + path));
    return made;
  };
  Start(config(false));
  LetterClient old("unix:" + path);
  EXPECT_EQ(old.Ask(), 'a');
  for (int round = 0; round < 5; ++round) {
    Reload(config(true));
    EXPECT_TRUE(BecomeServedBy("unix:" + path, "b"));
    Reload(TwoPools(true));
    EXPECT_NE(::access(path.c_str(), F_OK), 0);
    Reload(config(false));
    EXPECT_TRUE(BecomeServedBy("unix:" + path, "a"));
  }
  EXPECT_EQ(old.Ask(), 'a');
  ExpectAddsUp(StatusWith(1));
}

TEST_P(ReloadListenerTest, AnAddressIsFreeAgainAtOnce) {
  Start(FrontToBack("a"));
  Config with = FrontToBack("a");
  with.listeners.push_back(ListenerOf("second", "back", FreeAddress()));
  for (int round = 0; round < 30; ++round) {
    Reload(with);
    Reload(FrontToBack("a"));
  }
}

TEST_P(ReloadListenerTest, ADrainedListenerIsOpenedAgain) {
  Config config = FrontToBack("a");
  config.listeners[0].bind = {FreeAddress()};
  config.drain_timeout = absl::Milliseconds(200);
  Start(config);
  const std::string address = Address();
  LetterClient old(address);
  EXPECT_EQ(old.Ask(), 'a');
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(server().DrainListener("front").ok());
    EXPECT_TRUE(server().DrainListener("front").ok()) << "it is already";
    EXPECT_TRUE(server().Status().listeners[0].draining);
    const absl::Status opened = server().UndrainListener("front");
    ASSERT_TRUE(opened.ok()) << opened;
    EXPECT_TRUE(server().UndrainListener("front").ok()) << "it is already";
    EXPECT_EQ(AskAnew(address, 1), "a");
    server().Tick();
  }
  absl::SleepFor(absl::Milliseconds(400));
  EXPECT_EQ(old.Ask(), 'a') << "the drain was called off";
  ExpectAddsUp(StatusWith(1));
  EXPECT_TRUE(absl::IsNotFound(server().DrainListener("nobody")));
}

// Its workers know nothing of it any more.
TEST_P(ReloadListenerTest, ADrainedListenerThatIsForgottenCanBeRemovedAndChanged) {
  for (const bool remove : {true, false}) {
    Config config = TwoPools(false);
    config.listeners.push_back(ListenerOf("second", "back"));
    Start(config);
    ASSERT_TRUE(server().DrainListener("second").ok());
    ASSERT_TRUE(AreForgotten());
    if (remove) {
      config.listeners.pop_back();
    } else {
      config.listeners[1].pool = "next";
    }
    Reload(config);
    EXPECT_EQ(AskAnew(Address(), 1), "a");
    EXPECT_EQ(AskAnew(Address(remove ? "front" : "second"), 1), remove ? "a" : "b");
    EXPECT_TRUE(AreForgotten());
    ExpectAddsUp(StatusWith(0));
  }
}

// A session that began before the listener changed its pool is the listener's all the same.
TEST_P(ReloadListenerTest, ADrainAndARemovalReachSessionsFromBeforeAChange) {
  for (const bool remove : {true, false}) {
    Config config = TwoPools(false);
    config.listeners.push_back(ListenerOf("second", "back"));
    config.drain_timeout = absl::Milliseconds(200);
    Start(config);
    LetterClient old(Address("second"));
    EXPECT_EQ(old.Ask(), 'a');
    config.listeners[1].pool = "next";
    Reload(config);
    LetterClient young = ClientOf(Address("second"), 'b');
    EXPECT_EQ(old.Ask(), 'a');
    if (remove) {
      config.listeners.pop_back();
      Reload(config);
    } else {
      ASSERT_TRUE(server().DrainListener("second").ok());
    }
    EXPECT_TRUE(young.Ends());
    EXPECT_TRUE(old.Ends());
    young.Close();
    old.Close();
    ExpectAddsUp(StatusWith(0));
    EXPECT_TRUE(AreForgotten());
  }
}

TEST_P(ReloadListenerTest, AListenerThatComesBackGoesOnCounting) {
  Config with = FrontToBack("a");
  with.listeners.push_back(ListenerOf("second", "back"));
  Start(with);
  LetterClient old(Address("second"));
  EXPECT_EQ(old.Ask(), 'a');
  Reload(FrontToBack("a"));
  Reload(with);
  EXPECT_EQ(AskAnew(Address("second"), 2), "aa");
  const ProcessStatus status = StatusWith(1);
  ExpectAddsUp(status);
  EXPECT_EQ(FindListener(status, "second")->sums.accepted, 3u);
  EXPECT_FALSE(FindListener(status, "second")->removed);
}

}  // namespace
}  // namespace l4lb

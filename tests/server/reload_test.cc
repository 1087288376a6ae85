// SPDX-License-Identifier: Apache-2.0
//
// Pools and settings that change under live sessions.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "l4lb/net/listen.h"
#include "tests/server/reload_fixture.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

class ReloadTest : public ReloadFixture {};

INSTANTIATE_TEST_SUITE_P(Engines, ReloadTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

uint64_t ClosedBecause(const ListenerStatus& listener, CloseReason reason) {
  return listener.sums.closed_by_reason[static_cast<size_t>(reason)];
}

TEST_P(ReloadTest, WhatDidNotChangeIsSaidToHaveNotChanged) {
  const Config config = FrontToBack("ab");
  Start(config);
  LetterClient client(Address());
  const char letter = client.Ask();
  const ReloadReport report = Reload(config);
  EXPECT_FALSE(report.changed);
  EXPECT_TRUE(report.changes.empty() && report.ignored.empty());
  EXPECT_EQ(client.Ask(), letter);
  EXPECT_FALSE(server().NeedsTick());
}

TEST_P(ReloadTest, BackendsComeAndGoUnderLiveSessions) {
  Start(FrontToBack("a"));
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  EXPECT_TRUE(Reload(FrontToBack("ab")).changed);
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
  Reload(FrontToBack("b"));
  EXPECT_EQ(AskAnew(Address(), 4), "bbbb");
  EXPECT_EQ(old.Ask(), 'a') << "on_remove has half a minute";
  ProcessStatus status = StatusWith(1);
  ExpectAddsUp(status);
  EXPECT_TRUE(FindBackend(*FindPool(status, "back"), "a")->removed);
  EXPECT_GT(FindBackend(*FindPool(status, "back"), "a")->drain_left_ms, 0);
  old.Close();
  ExpectAddsUp(StatusWith(0));
  EXPECT_EQ(FindPool(server().Status(), "back")->backends.size(), 1u);
}

TEST_P(ReloadTest, SessionsOfARemovedBackendGoTheWayOfOnRemove) {
  for (const auto on_remove : {absl::ZeroDuration(), absl::InfiniteDuration()}) {
    Config config = FrontToBack("ab");
    config.pools[0].on_remove = on_remove;
    Start(config);
    LetterClient removed = ClientOf(Address(), 'a');
    LetterClient staying = ClientOf(Address(), 'b');
    Config without = FrontToBack("b");
    without.pools[0].on_remove = on_remove;
    Reload(without);
    if (on_remove == absl::ZeroDuration()) {
      EXPECT_TRUE(removed.Ends());
      removed.Close();
      const ProcessStatus status = StatusWith(1);
      EXPECT_EQ(ClosedBecause(status.listeners[0], CloseReason::drained), 1u);
    } else {
      EXPECT_EQ(removed.Ask(), 'a');
      EXPECT_EQ(FindBackend(server().Status().pools[0], "a")->drain_left_ms, -1);
    }
    EXPECT_EQ(staying.Ask(), 'b');
  }
}

TEST_P(ReloadTest, ABackendThatComesBackKeepsItsSessionsAndGetsNewOnes) {
  Config with = FrontToBack("ab");
  Config without = FrontToBack("b");
  with.pools[0].on_remove = without.pools[0].on_remove = absl::Milliseconds(150);
  Start(with);
  LetterClient first = ClientOf(Address(), 'a');
  LetterClient second = ClientOf(Address(), 'b');
  Reload(without);
  Reload(with);
  // Longer than the drain that was called off.
  absl::SleepFor(absl::Milliseconds(300));
  EXPECT_EQ(first.Ask(), 'a');
  EXPECT_EQ(second.Ask(), 'b');
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
  EXPECT_EQ(FindBackend(StatusWith(2).pools[0], "a")->drain_left_ms, -1);
}

TEST_P(ReloadTest, AnUnrelatedPoolsChangeTouchesNobody) {  // L02
  Config config = FrontToBack("ab");
  config.listeners.push_back(ListenerOf("other", "others"));
  config.pools.push_back(PoolOf("others", "c"));
  Start(config);
  std::vector<LetterClient> clients;
  std::string letters;
  for (int i = 0; i < 20; ++i) letters += clients.emplace_back(Address()).Ask();
  config.pools[1].backends = {backend('a').config()};
  Reload(config);
  EXPECT_EQ(AskAnew(Address("other"), 2), "aa");
  std::string again;
  for (LetterClient& client : clients) again += client.Ask();
  EXPECT_EQ(again, letters);
}

TEST_P(ReloadTest, ARemovedPoolEndsWithItsSessions) {
  Config both = FrontToBack("a");
  both.pools.push_back(PoolOf("next", "b"));
  both.pools[0].on_remove = absl::InfiniteDuration();
  Start(both);
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  Config next = both;
  next.listeners[0].pool = "next";
  next.pools.erase(next.pools.begin());
  Reload(next);
  EXPECT_TRUE(BecomeServedBy(Address(), "b"));
  EXPECT_EQ(old.Ask(), 'a');
  ProcessStatus status = StatusWith(1);
  ExpectAddsUp(status);
  ASSERT_NE(FindPool(status, "back"), nullptr) << "its session is still listed";
  EXPECT_EQ(FindPool(status, "back")->active, 1);
  old.Close();
  StatusWith(0);
  EXPECT_TRUE(AreForgotten());
  EXPECT_EQ(FindPool(server().Status(), "back"), nullptr);
}

TEST_P(ReloadTest, ARemovedPoolThatComesBackUnchangedServesAgain) {
  Config both = FrontToBack("a");
  both.pools.push_back(PoolOf("next", "b"));
  Start(both);
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  Config next = both;
  next.listeners[0].pool = "next";
  next.pools.erase(next.pools.begin());
  for (int round = 0; round < 3; ++round) {
    Reload(next);
    EXPECT_TRUE(BecomeServedBy(Address(), "b"));
    Reload(both);
    EXPECT_TRUE(BecomeServedBy(Address(), "a"));
    EXPECT_EQ(old.Ask(), 'a');
  }
  ExpectAddsUp(StatusWith(1));
}

TEST_P(ReloadTest, APolicyChangesUnderLiveSessions) {
  Config config = FrontToBack("abc");
  Start(config);
  LetterClient old(Address());
  const char letter = old.Ask();
  for (const auto policy : {Config::Policy::kMaglev, Config::Policy::kP2c, Config::Policy::kRing,
                            Config::Policy::kLeastConnections, Config::Policy::kRandom}) {
    config.pools[0].policy = policy;
    Reload(config);
    EXPECT_EQ(AskAnew(Address(), 6).find('-'), std::string::npos);
    EXPECT_EQ(old.Ask(), letter);
  }
  EXPECT_EQ(server().Status().pools[0].policy, "random");
}

TEST_P(ReloadTest, MoreMaxConnectionsWakeWhoWaits) {
  Config config = FrontToBack("a");
  config.max_connections = 1;
  Start(config);
  const auto raise = [&config](Config next) { config = next; };
  Config listener = config;
  listener.max_connections = 0;
  listener.listeners[0].max_connections = 2;
  Config pool = listener;
  pool.listeners[0].max_connections = 0;
  pool.pools[0].max_connections = 3;
  Config none = pool;
  none.pools[0].max_connections = 0;
  std::vector<LetterClient> clients;
  EXPECT_EQ(clients.emplace_back(Address()).Ask(), 'a');
  for (const Config& next : {listener, pool, none}) {
    LetterClient& waiting = clients.emplace_back(Address());
    waiting.Send();
    EXPECT_EQ(waiting.Receive(absl::Milliseconds(100)), LetterClient::kNobody);
    Reload(next);
    raise(next);
    EXPECT_EQ(waiting.Receive(), 'a');
  }
  ExpectAddsUp(StatusWith(4));
}

TEST_P(ReloadTest, AnErrorChangesNothing) {
  Config config = FrontToBack("a");
  Start(config);
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  const std::string address = Address();

  absl::StatusOr<UniqueFd> taken = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(taken.ok());
  Config conflict = FrontToBack("bc");
  conflict.listeners[0].pool = "fresh";
  conflict.pools.push_back(PoolOf("fresh", "b"));
  conflict.listeners.push_back(ListenerOf("new", "back"));
  conflict.listeners.push_back(ListenerOf("taken", "back", LocalAddress(taken->get()).ToString()));
  for (int round = 0; round < 3; ++round) {
    const auto report = server().Reload(conflict);
    ASSERT_FALSE(report.ok());
    EXPECT_TRUE(absl::IsAlreadyExists(report.status())) << report.status();
    EXPECT_EQ(server().config(), config);
    EXPECT_EQ(Address(), address);
    EXPECT_EQ(AskAnew(address, 2), "aa");
    EXPECT_EQ(old.Ask(), 'a');
    const ProcessStatus status = StatusWith(1);
    ExpectAddsUp(status);
    EXPECT_EQ(status.listeners.size(), 1u);
    EXPECT_EQ(status.pools.size(), 1u);
    EXPECT_EQ(status.pools[0].backends.size(), 1u);
  }
  EXPECT_TRUE(AreForgotten());
  taken->Reset();
  Reload(conflict);
  EXPECT_TRUE(BecomeServedBy(Address(), "b"));
  EXPECT_TRUE(AreServedBy(Address("taken"), "bc"));
}

TEST_P(ReloadTest, KeysThatNeedARestartStayAndAreSaidEachTime) {
  Config config = FrontToBack("a");
  Start(config);
  Config next = FrontToBack("ab");
  next.workers = 5;
  next.access_log.path = "/nonexistent/access.log";
  for (int round = 0; round < 2; ++round) {
    const ReloadReport report = Reload(next);
    EXPECT_EQ(report.changed, round == 0);
    EXPECT_EQ(report.ignored.size(), 2u);
    EXPECT_EQ(server().config().workers, 2);
    EXPECT_EQ(server().config().access_log.path, "") << "no such file is written";
  }
  EXPECT_EQ(server().Status().workers.size(), 2u);
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
}

TEST_P(ReloadTest, NothingIsTakenOverOnceTheProcessStops) {
  Start(FrontToBack("a"));
  LetterClient old(Address());
  EXPECT_EQ(old.Ask(), 'a');
  server().StopListening();
  Config next = FrontToBack("b");
  next.listeners.push_back(ListenerOf("more", "back"));
  const auto report = server().Reload(next);
  ASSERT_FALSE(report.ok());
  EXPECT_TRUE(absl::IsUnavailable(report.status())) << report.status();
  EXPECT_EQ(old.Ask(), 'a');
  old.Close();
  EXPECT_TRUE(Within([this] { return server().idle(); }));
}

}  // namespace
}  // namespace l4lb

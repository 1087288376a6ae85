// SPDX-License-Identifier: Apache-2.0
//
// Checks and ejections of a server as a whole.  All backends share one check port, of an agent that
// the tests close and open: what it says is true of nobody, which is how checkers fail.
#include <sys/socket.h>

#include <functional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "l4lb/net/listen.h"
#include "tests/server/reload_fixture.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

class HealthTest : public ReloadFixture {
 protected:
  // A port that was asked for by its number stays bound while nobody listens: no other process
  // gets it.
  HealthTest() {
    auto socket = Listen(Parsed(FreeAddress()), {});
    CHECK(socket.ok()) << socket.status();
    agent_ = *std::move(socket);
  }
  void OpenAgent() { ASSERT_EQ(::listen(agent_.get(), 16), 0); }
  void CloseAgent() { ASSERT_EQ(::shutdown(agent_.get(), SHUT_RD), 0); }

  Config Checked(const std::string& letters) {
    Config config = FrontToBack(letters);
    Config::HealthCheck& check = config.pools[0].health_check;
    check.type = Config::CheckType::kTcp;
    check.port = LocalAddress(agent_.get()).port();
    check.interval = check.fast_interval = absl::Milliseconds(40);
    check.timeout = absl::Milliseconds(30);
    check.fall = 2;
    return config;
  }
  /// As the control loop does.
  bool NewsUntil(const std::function<bool()>& holds) {
    return TickUntil([this, &holds] {
      server().HandleNews();
      return holds();
    });
  }
  bool AllBecome(Health health) {
    return NewsUntil([this, health] {
      const ProcessStatus status = server().Status();
      for (const BackendStatus& backend : status.pools[0].backends) {
        if (backend.check.health != health) return false;
      }
      return true;
    });
  }
  uint64_t Closed(CloseReason reason) {
    return server().Status().listeners[0].sums.closed_by_reason[static_cast<size_t>(reason)];
  }

  UniqueFd agent_;
};

INSTANTIATE_TEST_SUITE_P(Engines, HealthTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

TEST_P(HealthTest, WhoIsDownTakesNobodyAndComesBack) {
  Start(Checked("ab"));
  ASSERT_TRUE(AllBecome(Health::kUp));
  LetterClient old(Address());
  const char letter = old.Ask();
  CloseAgent();
  ASSERT_TRUE(AllBecome(Health::kDown));
  LetterClient late(Address());
  EXPECT_TRUE(late.Ends());
  EXPECT_EQ(Closed(CloseReason::no_backend), 1u);
  EXPECT_EQ(old.Ask(), letter) << "on_down keeps it";
  const BackendStatus a = server().Status().pools[0].backends[0];
  EXPECT_FALSE(a.takes_sessions);
  EXPECT_EQ(a.check.last_reason, "connection refused");
  EXPECT_GE(a.check.failed, 2u);
  OpenAgent();
  ASSERT_TRUE(AllBecome(Health::kUp));
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
}

TEST_P(HealthTest, OnDownClosesAndThatEndsWithTheVerdict) {
  Config config = Checked("ab");
  config.pools[0].on_down = absl::ZeroDuration();
  Start(config);
  ASSERT_TRUE(AllBecome(Health::kUp));
  LetterClient old(Address());
  EXPECT_NE(old.Ask(), LetterClient::kNobody);
  CloseAgent();
  EXPECT_TRUE(NewsUntil([this] { return Closed(CloseReason::backend_down) == 1; }));
  EXPECT_TRUE(old.Ends());
  OpenAgent();
  ASSERT_TRUE(AllBecome(Health::kUp));
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
  Reload(FrontToBack("abc"));  // What else changes does not begin it again.
  EXPECT_TRUE(AreServedBy(Address(), "abc"));
}

TEST_P(HealthTest, AnOnDownThatIsCalledOffByAReload) {
  Config config = Checked("ab");
  config.pools[0].on_down = absl::ZeroDuration();
  Start(config);
  CloseAgent();
  ASSERT_TRUE(AllBecome(Health::kDown));
  Reload(FrontToBack("ab"));  // Without checks.
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
}

TEST_P(HealthTest, WhoFailsOpenNoticesNothing) {
  Config config = Checked("ab");
  config.pools[0].fail_open.below = 50;
  config.pools[0].on_down = absl::ZeroDuration();
  Start(config);
  ASSERT_TRUE(AllBecome(Health::kUp));
  LetterClient a = ClientOf(Address(), 'a');
  LetterClient b = ClientOf(Address(), 'b');
  CloseAgent();
  ASSERT_TRUE(AllBecome(Health::kDown));
  EXPECT_TRUE(server().Status().pools[0].fail_open);
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
  // The first of them to be down was so alone for a moment, and its session is over.
  EXPECT_LE(Closed(CloseReason::backend_down), 1u);
  EXPECT_EQ(Closed(CloseReason::no_backend), 0u);
}

TEST_P(HealthTest, ChecksBeginAndEndByAReload) {
  Start(FrontToBack("ab"));
  CloseAgent();
  Reload(Checked("ab"));
  ASSERT_TRUE(AllBecome(Health::kDown));
  Reload(FrontToBack("ab"));
  ASSERT_TRUE(AllBecome(Health::kUnchecked));
  EXPECT_TRUE(AreServedBy(Address(), "ab"));
}

TEST_P(HealthTest, WhoRefusesTooOftenIsEjected) {
  Config config = FrontToBack("abc");
  CloseAgent();
  const std::string dead = LocalAddress(agent_.get()).ToString();
  config.pools[0].backends.push_back({.name = "dead", .address = dead});
  config.pools[0].eject.consecutive = 2;  // Each failure is a second after the one before it.
  Start(config);
  const auto status = [this] { return *FindBackend(server().Status().pools[0], "dead"); };
  EXPECT_TRUE(NewsUntil([&] {
    EXPECT_EQ(AskAnew(Address(), 4).size(), 4u) << "all are served";
    return status().ejections == 1;
  }));
  EXPECT_EQ(status().failures, 2u);
  EXPECT_FALSE(status().takes_sessions);
  EXPECT_EQ(server().Status().pools[0].healthy, 3);
  ExpectAddsUp(StatusWith(0));
}

}  // namespace
}  // namespace l4lb

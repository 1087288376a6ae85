// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/session_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/proxy/small_world.h"

namespace l4lb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Five sessions, each 1 s older than the next; session I has sent I bytes, the last of them
/// first.
class SessionSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 5; ++i) {
      world_.Connect();
      world_.RunFor(1'000);
    }
    for (int i = 4; i >= 0; --i) {
      world_.sessions()[i].client->Send(std::string(i, 'x'));
      world_.RunFor(100);
    }
  }

  SessionSet& set() { return world_.worker().sessions(); }

  /// Which of the five, in the order of the list.
  std::vector<int> Listed(const SessionFilter& filter, int64_t matching) {
    std::vector<SessionStatus> found;
    EXPECT_EQ(ListSessions(set(), filter, &found), matching);
    std::vector<int> indices;
    for (const SessionStatus& status : found) {
      for (int i = 0; i < 5; ++i) {
        if (world_.sessions()[i].address == status.client) indices.push_back(i);
      }
    }
    EXPECT_EQ(indices.size(), found.size());
    return indices;
  }

  SmallWorld world_{{.backends = 2}};
};

TEST_F(SessionSetTest, ListsInEveryOrder) {
  using Sort = SessionFilter::Sort;
  EXPECT_THAT(Listed({}, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Listed({.sort = Sort::kAge}, 5), ElementsAre(0, 1, 2, 3, 4));
  // Number 0 has sent nothing.
  EXPECT_THAT(Listed({.sort = Sort::kIdle}, 5), ElementsAre(0, 4, 3, 2, 1));
  EXPECT_THAT(Listed({.sort = Sort::kBytes}, 5), ElementsAre(4, 3, 2, 1, 0));
}

TEST_F(SessionSetTest, TheLimitKeepsTheFirst) {
  EXPECT_THAT(Listed({.sort = SessionFilter::Sort::kBytes, .limit = 2}, 5), ElementsAre(4, 3));
  EXPECT_THAT(Listed({.limit = 0}, 5), IsEmpty());
}

TEST_F(SessionSetTest, Narrows) {
  EXPECT_THAT(Listed({.listener = "front", .pool = "back"}, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Listed({.listener = "back"}, 0), IsEmpty());
  EXPECT_THAT(Listed({.pool = "front"}, 0), IsEmpty());
  EXPECT_THAT(Listed({.backend = "b1"}, 2), ElementsAre(1, 3));
  EXPECT_THAT(Listed({.client = "127.0.0.1"}, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Listed({.client = "127.0.0.2"}, 0), IsEmpty());
  EXPECT_THAT(Listed({.client = "unix"}, 0), IsEmpty());
  EXPECT_THAT(Listed({.client = "nonsense"}, 0), IsEmpty());
  EXPECT_THAT(Listed({.older_than_ms = 3'000}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Listed({.idle_for_ms = 350}, 3), ElementsAre(0, 3, 4));
}

TEST_F(SessionSetTest, TellsAllOfASession) {
  world_.sessions()[3].backend->Send("12345");
  world_.sessions()[3].client->Finish();
  world_.RunFor(50);
  std::vector<SessionStatus> found;
  ListSessions(set(), {.sort = SessionFilter::Sort::kBytes, .limit = 1}, &found);
  ASSERT_EQ(found.size(), 1u);
  const SessionStatus& status = found[0];
  EXPECT_EQ(status.client, world_.sessions()[3].address);
  EXPECT_EQ(status.listener, "front");
  EXPECT_EQ(status.pool, "back");
  EXPECT_EQ(status.backend, "b1");
  EXPECT_EQ(status.phase, Phase::data);
  EXPECT_NEAR(status.age_ms, 2'550, 20);
  EXPECT_NEAR(status.idle_ms, 50, 5);
  EXPECT_EQ(status.client_bytes, 3u);
  EXPECT_EQ(status.backend_bytes, 5u);
  EXPECT_TRUE(status.half_closed);
}

TEST_F(SessionSetTest, ShowsWhoHasNoBackendYet) {
  world_.DelayConnects(0, 5'000);
  world_.DelayConnects(1, 5'000);
  const std::string address = world_.Dial().address;
  world_.RunFor(10);
  std::vector<SessionStatus> found;
  EXPECT_EQ(ListSessions(set(), {}, &found), 6);
  EXPECT_EQ(found[5].client, address);
  EXPECT_EQ(found[5].phase, Phase::connect);
  EXPECT_EQ(found[5].backend, "b1");  // It tries that one.
}

TEST_F(SessionSetTest, ListsOfWorkersBecomeOne) {
  SessionFilter filter{.sort = SessionFilter::Sort::kAge, .limit = 3};
  std::vector<SessionStatus> sessions;
  for (const int64_t age_ms : {5, 9, 1, 7}) sessions.push_back({.age_ms = age_ms});
  SortAndCut(filter, &sessions);
  ASSERT_EQ(sessions.size(), 3u);
  EXPECT_EQ(sessions[0].age_ms, 9);
  EXPECT_EQ(sessions[2].age_ms, 5);
}

TEST_F(SessionSetTest, ClosesTheIdlestOfEachBackend) {
  const std::vector<Surplus> surplus = {{world_.backend(0).get(), 2}, {world_.backend(1).get(), 1}};
  EXPECT_EQ(CloseIdlest(set(), surplus, CloseReason::rebalanced), 3);
  world_.RunFor(50);
  EXPECT_THAT(Listed({}, 2), ElementsAre(1, 2));
  EXPECT_EQ(world_.Closed(CloseReason::rebalanced), 3u);
  // More than there are.
  EXPECT_EQ(CloseIdlest(set(), {{world_.backend(0).get(), 9}}, CloseReason::rebalanced), 1);
}

TEST_F(SessionSetTest, ClosesAllOfABackend) {
  EXPECT_EQ(CloseSessionsOf(set(), *world_.backend(0), CloseReason::admin_closed), 3);
  EXPECT_EQ(CloseSessionsOf(set(), *world_.backend(0), CloseReason::admin_closed), 0);
  world_.RunFor(50);
  EXPECT_THAT(Listed({}, 2), ElementsAre(1, 3));
  EXPECT_EQ(world_.Closed(CloseReason::admin_closed), 3u);
}

TEST_F(SessionSetTest, ClosesOneByItsId) {
  std::vector<SessionStatus> found;
  ListSessions(set(), {}, &found);
  EXPECT_TRUE(CloseSession(set(), found[2].id, CloseReason::admin_closed));
  EXPECT_FALSE(CloseSession(set(), found[2].id, CloseReason::admin_closed));
  EXPECT_FALSE(CloseSession(set(), 1, CloseReason::admin_closed));
  world_.RunFor(50);
  EXPECT_THAT(Listed({}, 4), ElementsAre(0, 1, 3, 4));
}

}  // namespace
}  // namespace l4lb

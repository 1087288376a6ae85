// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/worker_pool.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/backend/pool_fixture.h"

namespace l4lb {
namespace {

TEST(WorkerPoolTest, PicksByWeightAndTakesALease) {
  Mail mail;
  WorkerPool pool(NewSnapshot({{1}, {2}, {0}}), {}, mail.waits);
  std::map<std::string, int> picked;
  for (int i = 0; i < 300; ++i) {
    const Picked pick = pool.Pick(0, {}, 0);
    ASSERT_TRUE(pick.lease);
    EXPECT_EQ(pick.lease.backend()->active(), 1);
    ++picked[pick.lease.backend()->name()];
  }
  EXPECT_EQ(picked, (std::map<std::string, int>{{"a", 100}, {"b", 200}}));
  for (const auto& member : pool.snapshot().members) EXPECT_EQ(member.backend->active(), 0);
}

TEST(WorkerPoolTest, NeverPicksWhatWasTried) {
  Mail mail;
  WorkerPool pool(NewSnapshot({{}, {}, {}}), {}, mail.waits);
  std::vector<Backend*> tried;
  for (int i = 0; i < 3; ++i) {
    const Picked pick = pool.Pick(0, tried, 0);
    ASSERT_TRUE(pick.lease);
    tried.push_back(pick.lease.backend());
  }
  const Picked none = pool.Pick(0, tried, 0);
  EXPECT_FALSE(none.lease);
  EXPECT_FALSE(none.full);
  EXPECT_TRUE(pool.Pick(0, {}, 0).lease);
}

TEST(WorkerPoolTest, PassesOverWhatIsFullAndSaysWhenAllAre) {
  Mail mail;
  WorkerPool pool(NewSnapshot({{.max_connections = 1}, {.max_connections = 2}}), {}, mail.waits);
  std::vector<Picked> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(pool.Pick(0, {}, 0));
    ASSERT_TRUE(held.back().lease);
  }
  const Picked pick = pool.Pick(0, {}, 0);
  EXPECT_FALSE(pick.lease);
  EXPECT_TRUE(pick.full);
  EXPECT_EQ(pick.only, nullptr);
  EXPECT_EQ(pool.FullLimit(), Limit::backend_connections);
}

TEST(WorkerPoolTest, PerBackendItSaysWhichOneToWaitFor) {
  Mail mail;
  auto snapshot = NewSnapshot({{.max_connections = 1}, {.max_connections = 1}});
  snapshot->queue_per_backend = true;
  WorkerPool pool(snapshot, {}, mail.waits);
  const Picked first = pool.Pick(0, {}, 0);
  Picked second = pool.Pick(0, {}, 0);
  ASSERT_TRUE(first.lease && second.lease);
  const Picked third = pool.Pick(0, {}, 0);  // Round robin: the first one again.
  EXPECT_TRUE(third.full);
  EXPECT_EQ(third.only, first.lease.backend());
  second.lease.Release();
  const Picked fourth = pool.Pick(0, {}, 0);
  EXPECT_TRUE(fourth.lease) << "the other one has a place";
}

TEST(WorkerPoolTest, WhoComesNowGoesToTheEndOfTheQueue) {
  Mail mail;
  auto snapshot = NewSnapshot({{.max_connections = 1}});
  WorkerPool pool(snapshot, {}, mail.waits);
  Picked held = pool.Pick(0, {}, 0);
  TrackedWait wait;
  ASSERT_TRUE(pool.Wait(wait));
  held.lease.Release();  // The waiter's, though it does not know yet.
  EXPECT_TRUE(pool.Pick(0, {}, 0).full);
  mail.Deliver();
  EXPECT_TRUE(wait.lease);
}

TEST(WorkerPoolTest, WhoRefusedComesAfterAllOthersForAWhile) {
  for (const PolicyKind policy : {PolicyKind::kRoundRobin, PolicyKind::kLeastConnections,
                                  PolicyKind::kP2c, PolicyKind::kRandom}) {
    Mail mail;
    auto snapshot = NewSnapshot({{}, {.max_connections = 1}});
    snapshot->policy = policy;
    WorkerPool pool(snapshot, {}, mail.waits);
    Backend& refuses = *snapshot->members[0].backend;
    refuses.CountFailure(5'000);
    std::vector<Picked> held;
    held.push_back(pool.Pick(0, {}, 5'999));
    EXPECT_EQ(held[0].lease.backend()->name(), "b") << Name(policy);
    EXPECT_EQ(pool.Pick(0, {}, 5'999).lease.backend(), &refuses) << "the other one is full";
    held.clear();
    bool again = false;
    for (int i = 0; i < 40; ++i) {
      again |= pool.Pick(0, {}, 6'000).lease.backend() == &refuses;
    }
    EXPECT_TRUE(again) << Name(policy);
  }
}

// How often a backend is picked that has been in its slow start for so long, of 1,000 picks.
int PicksInSlowStart(PolicyKind policy, int64_t elapsed_ms) {
  Mail mail;
  auto snapshot = NewSnapshot({{}, {}});
  snapshot->policy = policy;
  snapshot->slow_start = {.time_ms = 10'000, .floor_percent = 10};
  WorkerPool pool(snapshot, {}, mail.waits);
  Backend& fresh = *snapshot->members[1].backend;
  snapshot->pool->BeginSlowStart(
      fresh, {.begin_ms = 5'000,
              .end_ms = 15'000,
              .candidacy = policy == PolicyKind::kP2c || policy == PolicyKind::kRandom ? 1 : 0.5});
  int picked = 0;
  for (int i = 0; i < 1'000; ++i) {
    picked += pool.Pick(0, {}, 5'000 + elapsed_ms).lease.backend() == &fresh;
  }
  return picked;
}

TEST(WorkerPoolTest, ASlowStartTakesItsShareOfWhatThePolicyGives) {
  for (const PolicyKind policy : {PolicyKind::kRoundRobin, PolicyKind::kLeastConnections,
                                  PolicyKind::kP2c, PolicyKind::kRandom}) {
    EXPECT_NEAR(PicksInSlowStart(policy, 0), 50, 15) << Name(policy);
    EXPECT_NEAR(PicksInSlowStart(policy, 500), 50, 15) << Name(policy);
    EXPECT_NEAR(PicksInSlowStart(policy, 5'000), 250, 60) << Name(policy);
    EXPECT_NEAR(PicksInSlowStart(policy, 10'000), 500, 25) << Name(policy);
  }
}

TEST(WorkerPoolTest, AnEmptyBackendIsNotFloodedInItsSlowStart) {
  Mail mail;
  auto snapshot = NewSnapshot({{}, {}});
  snapshot->policy = PolicyKind::kLeastConnections;
  snapshot->slow_start = {.time_ms = 10'000, .floor_percent = 10};
  WorkerPool pool(snapshot, {}, mail.waits);
  std::vector<Picked> held;
  Backend& fresh = *snapshot->members[1].backend;
  snapshot->pool->SetTerms(fresh, {.open = false});
  for (int i = 0; i < 100; ++i) held.push_back(pool.Pick(0, {}, 0));
  snapshot->pool->SetTerms(fresh, {});
  snapshot->pool->BeginSlowStart(fresh, {.begin_ms = 1'000, .end_ms = 11'000, .candidacy = 0.5});
  for (int i = 0; i < 40; ++i) held.push_back(pool.Pick(0, {}, 1'000 + i * 50));
  EXPECT_GE(fresh.active(), 2);
  EXPECT_LE(fresh.active(), 4) << "a sixteenth of 40, not all";
}

TEST(WorkerPoolTest, WhenAllAreInTheirSlowStartNobodyIs) {
  Mail mail;
  auto snapshot = NewSnapshot({{}, {}});
  snapshot->slow_start = {.time_ms = 10'000, .floor_percent = 1};
  WorkerPool pool(snapshot, {}, mail.waits);
  for (const auto& member : snapshot->members) {
    snapshot->pool->BeginSlowStart(*member.backend, {.begin_ms = 1, .end_ms = 10'001});
  }
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(pool.Pick(0, {}, 2).lease);
}

TEST(WorkerPoolTest, ThePoolsLimitIsNamed) {
  Mail mail;
  WorkerPool pool(NewSnapshot({{}}, {.max_connections = 1}), {}, mail.waits);
  const Picked held = pool.Pick(0, {}, 0);
  EXPECT_TRUE(pool.Pick(0, {}, 0).full);
  EXPECT_EQ(pool.FullLimit(), Limit::pool_connections);
}

TEST(WorkerPoolTest, SourcesTakeTurnsByFamily) {
  Mail mail;
  auto snapshot = NewSnapshot({{}});
  for (const char* source : {"127.0.0.1:0", "[::1]:0", "127.0.0.2:0"}) {
    snapshot->sources.push_back(Parsed(source));
  }
  WorkerPool pool(snapshot, {}, mail.waits);
  EXPECT_EQ(pool.NextSource(AF_INET)->ToString(), "127.0.0.1:0");
  EXPECT_EQ(pool.NextSource(AF_INET)->ToString(), "127.0.0.2:0");
  EXPECT_EQ(pool.NextSource(AF_INET)->ToString(), "127.0.0.1:0");
  EXPECT_EQ(pool.NextSource(AF_INET6)->ToString(), "[::1]:0");
  EXPECT_EQ(pool.NextSource(AF_UNIX), nullptr);
}

// A re-applied configuration must not begin the round anew (trial J01).
TEST(WorkerPoolTest, ASnapshotSwapGoesOnInTheRound) {
  Mail mail;
  const auto snapshot = NewSnapshot({{}, {}, {}});
  WorkerPool pool(snapshot, {}, mail.waits);
  std::map<std::string, int> picked;
  for (int i = 0; i < 300; ++i) {
    pool.Adopt(std::make_shared<PoolSnapshot>(*snapshot));
    ++picked[pool.Pick(0, {}, 0).lease.backend()->name()];
  }
  EXPECT_EQ(picked, (std::map<std::string, int>{{"a", 100}, {"b", 100}, {"c", 100}}));
}

}  // namespace
}  // namespace l4lb

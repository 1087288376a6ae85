// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/pool.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "l4lb/backend/tried.h"
#include "tests/backend/pool_fixture.h"

namespace l4lb {
namespace {

Backend& Member(const std::shared_ptr<PoolSnapshot>& snapshot, size_t index) {
  return *snapshot->members[index].backend;
}

TEST(LeaseTest, MovesAndIsGivenBackOnce) {
  const auto snapshot = NewSnapshot({{}});
  Backend& backend = Member(snapshot, 0);
  {
    Lease lease = snapshot->pool->TryAcquire(backend);
    EXPECT_EQ(backend.active(), 1);
    Lease moved = std::move(lease);
    EXPECT_FALSE(lease);
    EXPECT_EQ(moved.backend(), &backend);
    Lease other = snapshot->pool->TryAcquire(backend);
    EXPECT_EQ(backend.active(), 2);
    other = std::move(moved);  // Gives its own back.
    EXPECT_EQ(backend.active(), 1);
    other.Release();
    other.Release();
    EXPECT_EQ(backend.active(), 0);
  }
  EXPECT_EQ(backend.active(), 0);
}

TEST(PoolTest, ThePoolsLimitHoldsOverAllBackends) {
  const auto snapshot = NewSnapshot({{}, {}}, {.max_connections = 2});
  Lease first = snapshot->pool->TryAcquire(Member(snapshot, 0));
  const Lease second = snapshot->pool->TryAcquire(Member(snapshot, 1));
  EXPECT_TRUE(second);
  EXPECT_FALSE(snapshot->pool->TryAcquire(Member(snapshot, 0)));
  first.Release();
  EXPECT_TRUE(snapshot->pool->TryAcquire(Member(snapshot, 1)));
}

TEST(PoolTest, ALeaseGoesToTheFirstWhoWaits) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Pool& pool = *snapshot->pool;
  Lease held = pool.TryAcquire(Member(snapshot, 0));
  Mail one, two;  // Two workers.
  TrackedWait first, second;
  ASSERT_TRUE(one.waits.Begin(pool, first));
  ASSERT_TRUE(two.waits.Begin(pool, second));
  EXPECT_EQ(pool.waiting(), 2);
  EXPECT_TRUE(pool.awaited(Member(snapshot, 0)));

  held.Release();
  EXPECT_EQ(Member(snapshot, 0).active(), 1) << "it was never free";
  one.Deliver();
  two.Deliver();
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(first.error, 0);
  EXPECT_EQ(first.lease.backend(), &Member(snapshot, 0));
  EXPECT_EQ(second.ends, 0);

  first.lease.Release();
  two.Deliver();
  EXPECT_TRUE(second.lease);
  EXPECT_EQ(pool.waiting(), 0);
  second.lease.Release();
  EXPECT_EQ(Member(snapshot, 0).active(), 0);
}

TEST(PoolTest, WhoGaveUpPassesTheLeaseOn) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Pool& pool = *snapshot->pool;
  Lease held = pool.TryAcquire(Member(snapshot, 0));
  Mail one, two;
  TrackedWait first, second;
  ASSERT_TRUE(one.waits.Begin(pool, first));
  ASSERT_TRUE(two.waits.Begin(pool, second));
  held.Release();           // On its way to the first ...
  one.waits.Cancel(first);  // ... who leaves.
  one.Deliver();
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(first.error, ECANCELED);
  two.Deliver();
  EXPECT_TRUE(second.lease);
}

TEST(PoolTest, ACancelledWaitLeavesTheQueueAtOnceAndEndsLater) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Lease held = snapshot->pool->TryAcquire(Member(snapshot, 0));
  Mail mail;
  TrackedWait wait;
  ASSERT_TRUE(mail.waits.Begin(*snapshot->pool, wait));
  mail.waits.Cancel(wait);
  mail.waits.Cancel(wait);
  EXPECT_EQ(snapshot->pool->waiting(), 0);
  EXPECT_EQ(wait.ends, 0) << "no callback from inside Cancel()";
  mail.Deliver();
  EXPECT_EQ(wait.ends, 1);
  held.Release();
  EXPECT_EQ(mail.size(), 0u);
}

TEST(PoolTest, AFullQueueTakesNobody) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}}, {.queue = 1});
  const Lease held = snapshot->pool->TryAcquire(Member(snapshot, 0));
  Mail mail;
  TrackedWait first, second;
  EXPECT_TRUE(mail.waits.Begin(*snapshot->pool, first));
  EXPECT_FALSE(mail.waits.Begin(*snapshot->pool, second));
  EXPECT_FALSE(second.in_flight);
  mail.waits.Cancel(first);
  mail.Deliver();
}

TEST(PoolTest, WhoQueuesWhileAPlaceIsFreeIsServedAtOnce) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Mail mail;
  TrackedWait wait;
  ASSERT_TRUE(mail.waits.Begin(*snapshot->pool, wait));
  EXPECT_TRUE(wait.in_flight) << "no callback from inside Begin()";
  mail.Deliver();
  EXPECT_TRUE(wait.lease);
}

// The pool's place comes from one backend and serves at another.
TEST(PoolTest, APlaceOfThePoolServesWhoWaitsForAnotherBackend) {
  const auto snapshot = NewSnapshot({{}, {}}, {.max_connections = 1});
  Lease held = snapshot->pool->TryAcquire(Member(snapshot, 0));
  Mail mail;
  TrackedWait wait;
  wait.only = &Member(snapshot, 1);
  ASSERT_TRUE(mail.waits.Begin(*snapshot->pool, wait));
  held.Release();
  mail.Deliver();
  EXPECT_EQ(wait.lease.backend(), &Member(snapshot, 1));
  wait.lease.Release();
  EXPECT_EQ(snapshot->pool->places().used(), 0);
}

TEST(PoolTest, WeightZeroTakesNobodyWhoWaits) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}, {.weight = 0}});
  const Lease held = snapshot->pool->TryAcquire(Member(snapshot, 0));
  Mail mail;
  TrackedWait wait;
  ASSERT_TRUE(mail.waits.Begin(*snapshot->pool, wait));
  mail.Deliver();
  EXPECT_EQ(wait.ends, 0);
  mail.waits.Cancel(wait);
  mail.Deliver();
}

TEST(PoolTest, WhoWaitsForOneThatIsTakenOutPicksAnew) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}, {.max_connections = 1}});
  Pool& pool = *snapshot->pool;
  Backend& leaves = Member(snapshot, 0);
  const Lease held = pool.TryAcquire(leaves);
  Mail mail;
  TrackedWait before, after;
  before.only = after.only = &leaves;
  ASSERT_TRUE(mail.waits.Begin(pool, before));
  pool.SetTerms(leaves, {.max_connections = 1, .open = false});
  mail.Deliver();
  EXPECT_EQ(before.ends, 1);
  EXPECT_EQ(before.error, EAGAIN);
  EXPECT_FALSE(before.lease);
  ASSERT_TRUE(mail.waits.Begin(pool, after)) << "it had picked just before";
  mail.Deliver();
  EXPECT_EQ(after.error, EAGAIN);
  EXPECT_EQ(pool.waiting(), 0);
  EXPECT_EQ(leaves.active(), 1) << "who is there stays";
}

TEST(PoolTest, WhatComesBackServesWhoWaits) {
  const auto snapshot = NewSnapshot({{.max_connections = 1}});
  Pool& pool = *snapshot->pool;
  Backend& backend = Member(snapshot, 0);
  pool.SetTerms(backend, {.open = false});
  EXPECT_FALSE(pool.TryAcquire(backend));
  Mail mail;
  TrackedWait wait;
  ASSERT_TRUE(mail.waits.Begin(pool, wait));
  mail.Deliver();
  EXPECT_EQ(wait.ends, 0);
  pool.SetTerms(backend, {.max_connections = 1});
  mail.Deliver();
  EXPECT_TRUE(wait.lease);
}

TEST(PoolTest, ARaisedLimitOfThePoolServesWhoWaits) {
  const auto snapshot = NewSnapshot({{}}, {.max_connections = 1});
  Pool& pool = *snapshot->pool;
  const Lease held = pool.TryAcquire(Member(snapshot, 0));
  Mail mail;
  TrackedWait wait;
  ASSERT_TRUE(mail.waits.Begin(pool, wait));
  pool.SetLimits({.max_connections = 2});
  mail.Deliver();
  EXPECT_TRUE(wait.lease);
}

TEST(PoolTest, ABackendIsForgottenOnlyWhenNobodyRefersToIt) {
  const auto snapshot = NewSnapshot({{}, {}});
  Pool& pool = *snapshot->pool;
  std::shared_ptr<Backend> backend = std::move(snapshot->members[1].backend);
  Lease lease = pool.TryAcquire(*backend);
  EXPECT_FALSE(pool.IsUnused(backend)) << "it takes sessions";
  pool.SetTerms(*backend, {.open = false});
  EXPECT_FALSE(pool.IsUnused(backend)) << "it has one";
  auto tried = std::make_unique<Tried>();
  tried->Add(*backend);
  lease.Release();
  EXPECT_FALSE(pool.IsUnused(backend)) << "one has tried it";
  tried.reset();
  {
    const std::shared_ptr<Backend> named = backend;
    EXPECT_FALSE(pool.IsUnused(backend)) << "a snapshot names it";
  }
  EXPECT_TRUE(pool.IsUnused(backend));
  const int slot = backend->slot();
  pool.Forget(std::move(backend));
  const auto next = pool.Add("next", Parsed("127.0.0.1:9002"), {});
  EXPECT_EQ(next->slot(), slot);
  EXPECT_TRUE(pool.TryAcquire(*next));
}

TEST(PoolTest, SlotsAreBounded) {
  Pool pool("pool", {});
  for (int i = 0; i < ActiveTable::kMostSlots; ++i) {
    ASSERT_NE(pool.Add("b", Parsed("127.0.0.1:9001"), {}), nullptr);
  }
  EXPECT_EQ(pool.Add("b", Parsed("127.0.0.1:9001"), {}), nullptr);
}

}  // namespace
}  // namespace l4lb

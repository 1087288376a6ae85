// SPDX-License-Identifier: Apache-2.0
//
// A pool that takes over a configuration: who stays the same backend, and what of the API's changes
// survives.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "l4lb/server/managed_pool.h"
#include "tests/server/pool_builder.h"

namespace l4lb {
namespace {

using Names = std::vector<std::string>;

TEST(ManagedPoolReloadTest, ABackendIsItsNameAndItsAddress) {
  const auto pool = Managed(PoolOf("abc"));
  Backend* const a = ObjectOf(*pool, "a");
  Backend* const b = ObjectOf(*pool, "b");
  const Lease lease = pool->pool().TryAcquire(*a);
  a->CountSession(0);
  Config::Pool next = PoolOf("cba");
  Entry(next, 'a').weight = 7;
  Entry(next, 'b').address = AddressOf('b', 2);
  const auto effects = Commit(*pool, pool->Reload(next));
  EXPECT_EQ(LettersOf(*pool), "cba");
  EXPECT_EQ(ObjectOf(*pool, "a"), a);
  EXPECT_EQ(pool->Status(0, {}).backends[2].sessions, 1u);
  EXPECT_EQ(pool->Status(0, {}).backends[2].active, 1);
  EXPECT_NE(ObjectOf(*pool, "b"), b) << "at another address it is another one";
  EXPECT_EQ(NamesOf(effects.removed), "b");
  EXPECT_EQ(effects.removed.front().get(), b);
}

TEST(ManagedPoolReloadTest, SettingsAreTakenOver) {
  const auto pool = Managed(PoolOf("ab"));
  Config::Pool next = PoolOf("ab");
  next.policy = Config::Policy::kMaglev;
  next.max_connections = 5;
  next.queue.limit = 6;
  next.connect_timeout = absl::Milliseconds(70);
  Commit(*pool, pool->Reload(next));
  EXPECT_EQ(pool->config(), next);
  EXPECT_EQ(pool->pool().places().limit(), 5);
  EXPECT_EQ(pool->pool().queue_limit(), 6);
  EXPECT_EQ(pool->snapshot()->connect_timeout_ms, 70);
  ASSERT_NE(pool->snapshot()->lookup, nullptr);
  EXPECT_NE(pool->Status(0, {}).table_checksum, 0u);
  Commit(*pool, pool->Reload(PoolOf("ab")));
  EXPECT_EQ(pool->snapshot()->lookup, nullptr);
  EXPECT_EQ(pool->pool().places().limit(), 0);
}

TEST(ManagedPoolReloadTest, OverridesSurviveUnlessTheFileSaysSomethingNewOfThem) {
  const auto pool = Managed(PoolOf("ab"));
  Commit(*pool, pool->Change("a", {.state = BackendState::kDrain, .weight = 9}));
  Config::Pool next = PoolOf("ab");
  next.retries = 5;
  auto effects = Commit(*pool, pool->Reload(next));
  EXPECT_EQ(pool->Find("a")->override_names(), (Names{"state", "weight"}));
  EXPECT_EQ(NamesOf(effects.drained), "") << "it is drained already";
  EXPECT_EQ(Pickable(*pool), "b");

  Entry(next, 'a').weight = 4;
  Commit(*pool, pool->Reload(next));
  EXPECT_EQ(pool->Find("a")->weight(), 4u);
  EXPECT_EQ(pool->Find("a")->override_names(), Names{"state"}) << "each value for itself";

  Entry(next, 'a').state = Config::BackendState::kDown;
  effects = Commit(*pool, pool->Reload(next));
  EXPECT_TRUE(pool->Find("a")->override_names().empty());
  EXPECT_EQ(NamesOf(effects.downed), "a");
}

TEST(ManagedPoolReloadTest, AnOverrideThatTheFileNowSaysIsNone) {
  const auto pool = Managed(PoolOf("ab"));
  Commit(*pool, pool->Change("a", {.weight = 9}));
  Config::Pool next = PoolOf("ab");
  Entry(next, 'a').weight = 9;
  Commit(*pool, pool->Reload(next));
  EXPECT_TRUE(pool->Find("a")->override_names().empty());
  Commit(*pool, pool->Reload(PoolOf("ab")));
  EXPECT_EQ(pool->Find("a")->weight(), 1u) << "the file's value counts again";
}

TEST(ManagedPoolReloadTest, WhatTheApiAddedStaysUntilTheFileHasIt) {
  const auto pool = Managed(PoolOf("a"));
  Commit(*pool, pool->Add({.name = "b", .address = AddressOf('b'), .weight = 5}));
  Backend* const added = ObjectOf(*pool, "b");
  Config::Pool next = PoolOf("ac");
  Commit(*pool, pool->Reload(next));
  EXPECT_EQ(LettersOf(*pool), "acb");
  EXPECT_TRUE(pool->Find("b")->by_api);
  Commit(*pool, pool->Reload(PoolOf("abc")));
  EXPECT_FALSE(pool->Find("b")->by_api);
  EXPECT_EQ(pool->Find("b")->weight(), 1u) << "as the file has it";
  EXPECT_TRUE(pool->Find("b")->override_names().empty());
  EXPECT_EQ(ObjectOf(*pool, "b"), added) << "the same name and address";
  Commit(*pool, pool->Reload(PoolOf("ac")));
  EXPECT_EQ(LettersOf(*pool), "ac") << "and then it goes with the file";
}

TEST(ManagedPoolReloadTest, WhatTheApiDeletedStaysDeletedUntilItsEntryChanges) {
  const auto pool = Managed(PoolOf("abc"));
  Commit(*pool, pool->Remove("b"));
  Config::Pool next = PoolOf("abc");
  next.retries = 5;
  Commit(*pool, pool->Reload(next));
  EXPECT_EQ(LettersOf(*pool), "ac");
  Commit(*pool, pool->Reload(PoolOf("abc")));
  EXPECT_EQ(LettersOf(*pool), "ac") << "it is remembered over more than one reload";
  Entry(next, 'b').weight = 2;
  Commit(*pool, pool->Reload(next));
  EXPECT_EQ(LettersOf(*pool), "abc");
  Commit(*pool, pool->Remove("b"));
  Commit(*pool, pool->Reload(PoolOf("ac")));
  Commit(*pool, pool->Reload(PoolOf("abc")));
  EXPECT_EQ(LettersOf(*pool), "abc") << "once the file did not have it, it begins anew";
}

TEST(ManagedPoolReloadTest, DeletedAndAddedAgainByTheApi) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const before = ObjectOf(*pool, "b");
  Commit(*pool, pool->Remove("b"));
  Commit(*pool, pool->Add({.name = "b", .address = AddressOf('b'), .weight = 8}));
  EXPECT_EQ(ObjectOf(*pool, "b"), before);
  Config::Pool next = PoolOf("ab");
  next.retries = 5;
  Commit(*pool, pool->Reload(next));
  ASSERT_NE(pool->Find("b"), nullptr);
  EXPECT_EQ(pool->Find("b")->weight(), 8u);
}

TEST(ManagedPoolReloadTest, ABackendThatComesBackIsTheSameWithItsSessions) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const before = ObjectOf(*pool, "b");
  const Lease lease = pool->pool().TryAcquire(*before);
  Commit(*pool, pool->Reload(PoolOf("a")));
  EXPECT_EQ(NamesOf(pool->retired()), "b");
  const auto effects = Commit(*pool, pool->Reload(PoolOf("ab")));
  EXPECT_EQ(ObjectOf(*pool, "b"), before);
  EXPECT_EQ(before->active(), 1);
  EXPECT_TRUE(pool->retired().empty());
  EXPECT_EQ(Pickable(*pool), "ab");
  EXPECT_EQ(NamesOf(effects.removed), "");
}

// Its sessions were told to end; what they were told must be taken back.
TEST(ManagedPoolReloadTest, ABackendThatComesBackBeforeItsDrainEndsIsRestored) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const back = ObjectOf(*pool, "b");
  const Lease lease = pool->pool().TryAcquire(*back);
  Commit(*pool, pool->Reload(PoolOf("a")));
  pool->NoteDrain(*back, 30'000);
  EXPECT_EQ(NamesOf(pool->RestoredBy(*pool->Reload(PoolOf("ac")))), "");
  EXPECT_EQ(NamesOf(pool->RestoredBy(*pool->Reload(PoolOf("ab")))), "b");
  Config::Pool drained = PoolOf("ab");
  Entry(drained, 'b').state = Config::BackendState::kDrain;
  EXPECT_EQ(NamesOf(pool->RestoredBy(*pool->Reload(drained))), "");
  pool->NoteDrain(*back, 0);
  EXPECT_EQ(NamesOf(pool->RestoredBy(*pool->Reload(PoolOf("ab")))), "");
}

TEST(ManagedPoolReloadTest, AnAddressThatComesBackFindsItsBackendAgain) {
  const auto pool = Managed(PoolOf("a"));
  Backend* const first = ObjectOf(*pool, "a");
  const Lease lease = pool->pool().TryAcquire(*first);
  Config::Pool moved = PoolOf("a");
  Entry(moved, 'a').address = AddressOf('a', 2);
  Commit(*pool, pool->Reload(moved));
  Backend* const second = ObjectOf(*pool, "a");
  ASSERT_NE(second, first);
  const Lease other = pool->pool().TryAcquire(*second);
  Commit(*pool, pool->Reload(PoolOf("a")));
  EXPECT_EQ(ObjectOf(*pool, "a"), first);
  EXPECT_EQ(pool->retired().size(), 1u);
}

// One of the two is not in the configuration any more.
TEST(ManagedPoolReloadTest, WhoMovedAwayIsNotShownTwiceAndStillCounted) {
  const auto pool = Managed(PoolOf("a"));
  const Lease lease = pool->pool().TryAcquire(*ObjectOf(*pool, "a"));
  for (const int host : {2, 3}) {
    Config::Pool moved = PoolOf("a");
    Entry(moved, 'a').address = AddressOf('a', host);
    Commit(*pool, pool->Reload(moved));
  }
  const Lease other = pool->pool().TryAcquire(*ObjectOf(*pool, "a"));
  const PoolStatus status = pool->Status(0, {});
  ASSERT_EQ(status.backends.size(), 1u);
  EXPECT_EQ(status.backends[0].address, AddressOf('a', 3));
  EXPECT_EQ(status.active, 2);
  EXPECT_EQ(status.backends[0].active, 2) << "so that the backends add up to the pool";
}

TEST(ManagedPoolReloadTest, NothingTakesAllBackendsOutAndAReloadBringsThemBack) {
  for (const auto policy : {Config::Policy::kMaglev, Config::Policy::kRoundRobin}) {
    Config::Pool config = PoolOf("ab");
    config.policy = policy;
    const auto pool = Managed(config);
    Backend* const a = ObjectOf(*pool, "a");
    Lease lease = pool->pool().TryAcquire(*a);
    const auto effects = pool->Commit(pool->Nothing());
    EXPECT_EQ(NamesOf(effects.removed), "ab");
    EXPECT_EQ(LettersOf(*pool), "");
    EXPECT_EQ(Pickable(*pool), "");
    EXPECT_FALSE(pool->idle());
    Commit(*pool, pool->Reload(config));
    EXPECT_EQ(Pickable(*pool), "ab");
    EXPECT_EQ(ObjectOf(*pool, "a"), a);
    lease.Release();
    EXPECT_TRUE(pool->idle());
  }
}

TEST(ManagedPoolReloadTest, TheTableStaysWhileABackendHasNoWeight) {
  Config::Pool config = PoolOf("abc");
  config.policy = Config::Policy::kMaglev;
  const auto pool = Managed(config);
  const uint64_t checksum = pool->snapshot()->lookup->checksum();
  Commit(*pool, pool->Change("b", {.weight = 0}));
  EXPECT_EQ(pool->snapshot()->lookup->checksum(), checksum);
  Commit(*pool, pool->Change("b", {.state = BackendState::kDrain, .weight = 1}));
  EXPECT_EQ(pool->snapshot()->lookup->checksum(), checksum);
  Commit(*pool, pool->Remove("b"));
  EXPECT_NE(pool->snapshot()->lookup->checksum(), checksum);
}

}  // namespace
}  // namespace l4lb

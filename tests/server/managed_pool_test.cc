// SPDX-License-Identifier: Apache-2.0
//
// What the API changes in a pool, and what becomes of backends that are taken out.
#include "l4lb/server/managed_pool.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/server/pool_builder.h"

namespace l4lb {
namespace {

using Names = std::vector<std::string>;

void ExpectRefused(ManagedPool& pool, const absl::StatusOr<ManagedPool::Draft>& draft,
                   absl::StatusCode code, const Names& parts) {
  ASSERT_FALSE(draft.ok());
  EXPECT_EQ(draft.status().code(), code) << draft.status();
  for (const std::string& part : parts) {
    EXPECT_NE(draft.status().message().find(part), std::string::npos)
        << draft.status() << " says nothing of " << part;
  }
  ForgetUnused(pool);
  EXPECT_TRUE(pool.retired().empty());
}

TEST(ManagedPoolTest, MakesWhatIsConfigured) {
  Config::Pool config = PoolOf("abc");
  Entry(config, 'a').weight = 5;
  Entry(config, 'b').state = Config::BackendState::kDrain;
  Entry(config, 'c').max_connections = 1;
  const auto pool = Managed(config);
  EXPECT_EQ(pool->id(), 7u);
  EXPECT_EQ(pool->config(), config);
  EXPECT_EQ(LettersOf(*pool), "abc");
  EXPECT_EQ(Pickable(*pool), "ac");
  EXPECT_EQ(pool->Find("a")->weight(), 5u);
  EXPECT_TRUE(pool->pool().TryAcquire(*ObjectOf(*pool, "c")));
  const Lease held = pool->pool().TryAcquire(*ObjectOf(*pool, "c"));
  EXPECT_FALSE(pool->pool().TryAcquire(*ObjectOf(*pool, "c")));
  for (const ManagedBackend& backend : pool->backends()) {
    EXPECT_FALSE(backend.by_api);
    EXPECT_TRUE(backend.override_names().empty());
  }
  EXPECT_TRUE(pool->retired().empty());
}

TEST(ManagedPoolTest, AChangeIsAnOverrideUntilItSaysWhatIsConfigured) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const before = ObjectOf(*pool, "a");
  Commit(*pool, pool->Change("a", {.weight = 9, .max_connections = 3}));
  EXPECT_EQ(ObjectOf(*pool, "a"), before);
  EXPECT_EQ(pool->Find("a")->override_names(), (Names{"weight", "max_connections"}));
  EXPECT_EQ(pool->snapshot()->members[before->slot()].weight, 9u);
  EXPECT_EQ(pool->pool().table().limit(before->slot()), 3);
  Commit(*pool, pool->Change("a", {.weight = 1}));
  EXPECT_EQ(pool->Find("a")->override_names(), Names{"max_connections"});
  Commit(*pool, pool->Change("a", {.max_connections = 0}));
  EXPECT_TRUE(pool->Find("a")->override_names().empty());
  EXPECT_EQ(pool->pool().table().limit(before->slot()), ActiveTable::kNoLimit);
}

TEST(ManagedPoolTest, WeightZeroTakesNobodyAndIsNoDrain) {
  const auto pool = Managed(PoolOf("ab"));
  const auto effects = Commit(*pool, pool->Change("a", {.weight = 0}));
  EXPECT_EQ(Pickable(*pool), "b");
  EXPECT_TRUE(effects.drained.empty() && effects.downed.empty() && effects.removed.empty());
}

TEST(ManagedPoolTest, EffectsSayWhatSessionsAreTold) {
  const auto pool = Managed(PoolOf("ab"));
  const auto change = [&pool](BackendState state) {
    return Commit(*pool, pool->Change("a", {.state = state}));
  };
  auto effects = change(BackendState::kDrain);
  EXPECT_EQ(NamesOf(effects.drained), "a");
  EXPECT_EQ(NamesOf(effects.downed) + NamesOf(effects.removed), "");
  EXPECT_EQ(Pickable(*pool), "b");
  effects = change(BackendState::kDrain);
  EXPECT_EQ(NamesOf(effects.drained), "") << "it is drained already";
  effects = change(BackendState::kDown);
  EXPECT_EQ(NamesOf(effects.downed), "a");
  effects = change(BackendState::kReady);
  EXPECT_EQ(NamesOf(effects.drained) + NamesOf(effects.downed) + NamesOf(effects.removed), "");
  EXPECT_EQ(Pickable(*pool), "ab");
  effects = Commit(*pool, pool->Remove("a"));
  EXPECT_EQ(NamesOf(effects.removed), "a");
  EXPECT_EQ(Pickable(*pool), "b");
}

TEST(ManagedPoolTest, AddedByTheApi) {
  const auto pool = Managed(PoolOf("a"));
  const auto effects = Commit(*pool, pool->Add({.address = AddressOf('b'), .weight = 4}));
  EXPECT_EQ(NamesOf(effects.drained) + NamesOf(effects.downed) + NamesOf(effects.removed), "");
  const ManagedBackend* const added = pool->Find(AddressOf('b'));
  ASSERT_NE(added, nullptr) << "its name is its address";
  EXPECT_TRUE(added->by_api);
  EXPECT_EQ(added->weight(), 4u);
  EXPECT_TRUE(added->override_names().empty());
  EXPECT_EQ(pool->config(), PoolOf("a")) << "the configuration does not know it";
  Commit(*pool, pool->Remove(AddressOf('b')));
  EXPECT_EQ(LettersOf(*pool), "a");
}

TEST(ManagedPoolTest, OneThatIsAddedDrainedTakesNobody) {
  const auto pool = Managed(PoolOf("a"));
  const auto effects = Commit(
      *pool, pool->Add({.name = "b", .address = AddressOf('b'), .state = BackendState::kDrain}));
  EXPECT_EQ(NamesOf(effects.drained), "b");
  EXPECT_EQ(Pickable(*pool), "a");
  Commit(*pool, pool->Change("b", {.state = BackendState::kReady}));
  EXPECT_EQ(Pickable(*pool), "ab");
}

TEST(ManagedPoolTest, ErrorsSayWhatWouldBeRight) {
  const auto pool = Managed(PoolOf("ab"));
  using Code = absl::StatusCode;
  ExpectRefused(*pool, pool->Change("c", {.weight = 1}), Code::kNotFound, {"back", "c"});
  ExpectRefused(*pool, pool->Remove("c"), Code::kNotFound, {"back", "c"});
  ExpectRefused(*pool, pool->Change("a", {.weight = 1001}), Code::kInvalidArgument,
                {"weight is 1001", "0 to 1000"});
  ExpectRefused(*pool, pool->Change("a", {.weight = -1}), Code::kInvalidArgument, {"0 to 1000"});
  ExpectRefused(*pool, pool->Change("a", {.max_connections = -1}), Code::kInvalidArgument,
                {"max_connections is -1", "0 to "});
  ExpectRefused(*pool, pool->Change("a", {.max_connections = int64_t{1} << 31}),
                Code::kInvalidArgument, {"max_connections"});
  ExpectRefused(*pool, pool->Add({.name = "a", .address = AddressOf('c')}), Code::kAlreadyExists,
                {"back", "a"});
  ExpectRefused(*pool, pool->Add({.name = "c", .address = "some.host:80"}), Code::kInvalidArgument,
                {"some.host:80", "address itself"});
  ExpectRefused(*pool, pool->Add({.name = "c", .address = AddressOf('c'), .weight = 2000}),
                Code::kInvalidArgument, {"0 to 1000"});
  EXPECT_EQ(LettersOf(*pool), "ab");
  EXPECT_EQ(Pickable(*pool), "ab");
}

TEST(ManagedPoolTest, AnAbandonedDraftLeavesNothing) {
  const auto pool = Managed(PoolOf("a"));
  const auto snapshot = pool->snapshot();
  for (int i = 0; i < 3; ++i) {
    Config::Pool more = PoolOf("abc");
    more.max_connections = 1;
    ASSERT_TRUE(pool->Reload(more).ok());
    EXPECT_EQ(pool->snapshot(), snapshot);
    EXPECT_EQ(LettersOf(*pool), "a");
    EXPECT_EQ(Pickable(*pool), "a");
    EXPECT_EQ(pool->pool().places().limit(), 0);
    EXPECT_EQ(pool->Status(0, {}).backends.size(), 1u);
  }
  EXPECT_EQ(pool->retired().size(), 2u) << "made once, found again";
  ForgetUnused(*pool);
  EXPECT_TRUE(pool->retired().empty());
  Commit(*pool, pool->Reload(PoolOf("ax")));
  EXPECT_LE(ObjectOf(*pool, "x")->slot(), 2) << "their slots are free again";
}

TEST(ManagedPoolTest, ADraftThatCannotBeCompletedLeavesNothing) {
  Config::Pool config = PoolOf("ab");
  config.policy = Config::Policy::kMaglev;
  config.table_size = 11;
  const auto pool = Managed(config);
  Config::Pool more = PoolOf("abcdefghijklmnop");  // More backends than the table has slots.
  more.policy = Config::Policy::kMaglev;
  more.table_size = 11;
  ExpectRefused(*pool, pool->Reload(more), absl::StatusCode::kInvalidArgument, {"pool back"});
  EXPECT_EQ(LettersOf(*pool), "ab");
}

TEST(ManagedPoolTest, TheLastBackendOfATableCanBeTakenOut) {
  for (const auto policy : {Config::Policy::kMaglev, Config::Policy::kRing}) {
    Config::Pool config = PoolOf("a");
    config.policy = policy;
    const auto pool = Managed(config);
    const uint64_t checksum = pool->snapshot()->lookup->checksum();
    const std::string name = pool->Status(0, {}).policy;
    Commit(*pool, pool->Remove("a"));
    EXPECT_EQ(pool->Status(0, {}).policy, name);
    EXPECT_EQ(pool->Status(0, {}).table_checksum, 0u);
    Commit(*pool, pool->Add({.name = "a", .address = AddressOf('a')}));
    EXPECT_EQ(pool->snapshot()->lookup->checksum(), checksum);
  }
}

TEST(ManagedPoolTest, ARemovedBackendStaysWhileItHasSessions) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const removed = ObjectOf(*pool, "b");
  Lease lease = pool->pool().TryAcquire(*removed);
  removed->CountSession(0);
  Commit(*pool, pool->Remove("b"));
  ForgetUnused(*pool);
  ASSERT_EQ(NamesOf(pool->retired()), "b");
  const PoolStatus status = pool->Status(0, {});
  ASSERT_EQ(status.backends.size(), 2u);
  EXPECT_TRUE(status.backends[1].removed);
  EXPECT_EQ(status.backends[1].active, 1);
  EXPECT_EQ(status.backends[1].sessions, 1u);
  EXPECT_EQ(status.active, 1);
  EXPECT_FALSE(pool->pool().TryAcquire(*removed));
  lease.Release();
  EXPECT_EQ(pool->Status(0, {}).backends.size(), 1u);
  ForgetUnused(*pool);
  EXPECT_TRUE(pool->retired().empty());
}

TEST(ManagedPoolTest, WhoIsRememberedIsNotForgotten) {
  const auto pool = Managed(PoolOf("ab"));
  Backend* const removed = ObjectOf(*pool, "b");
  removed->Pin();
  const auto old_snapshot = pool->snapshot();
  Commit(*pool, pool->Remove("b"));
  ForgetUnused(*pool);
  EXPECT_EQ(NamesOf(pool->retired()), "b") << "a worker has the old snapshot, and it is pinned";
  removed->Unpin();
  ForgetUnused(*pool);
  EXPECT_EQ(NamesOf(pool->retired()), "b") << "a worker has the old snapshot";
}

// Who gives the last lease back looks at the backend once more.
TEST(ManagedPoolTest, TheFirstLookOnlyNotesWhoIsUnused) {
  const auto pool = Managed(PoolOf("ab"));
  Commit(*pool, pool->Remove("b"));
  EXPECT_FALSE(pool->has_unused());
  pool->ForgetUnused(nullptr);
  EXPECT_TRUE(pool->has_unused());
  EXPECT_EQ(NamesOf(pool->retired()), "b");
  pool->ForgetUnused(nullptr);
  EXPECT_FALSE(pool->has_unused());
  EXPECT_TRUE(pool->retired().empty());
}

TEST(ManagedPoolTest, SlotsAreReused) {
  const auto pool = Managed(PoolOf("a"));
  for (int round = 0; round < 3 * ActiveTable::kBlock; ++round) {
    const char letter = static_cast<char>('b' + round % 20);
    Commit(*pool, pool->Add({.name = {letter}, .address = AddressOf(letter)}));
    ASSERT_LE(ObjectOf(*pool, {letter})->slot(), 1);
    Commit(*pool, pool->Remove({letter}));
    ForgetUnused(*pool);
  }
  EXPECT_EQ(pool->snapshot()->members.size(), 1u);
}

// A log that has written up to `passed` of what `now` appended.
class SlowLog final : public AccessLog {
 public:
  bool Append(int, const SessionRecord&) override { return ++now > 0; }
  absl::Status Reopen() override { return absl::OkStatus(); }
  uint64_t Stop(int64_t) override { return 0; }
  uint64_t lost() const override { return 0; }
  Mark Now() const override { return {now}; }
  bool HasPassed(const Mark& mark) const override { return passed >= mark[0]; }

  uint64_t now = 0;
  uint64_t passed = 0;
};

TEST(ManagedPoolTest, WhatTheAccessLogHasYetToWriteIsNotForgotten) {
  const auto pool = Managed(PoolOf("ab"));
  SlowLog log;
  log.Append(0, {});
  Commit(*pool, pool->Remove("b"));
  ForgetUnused(*pool, &log);
  EXPECT_EQ(NamesOf(pool->retired()), "b");
  log.Append(0, {});  // Of another: it does not delay it.
  log.passed = 1;
  ForgetUnused(*pool, &log);
  EXPECT_TRUE(pool->retired().empty());
}

// Else a mark of its first retirement would count for the second.
TEST(ManagedPoolTest, ARevivedBackendsMarkIsTakenAnew) {
  const auto pool = Managed(PoolOf("ab"));
  SlowLog log;
  log.Append(0, {});
  Commit(*pool, pool->Remove("b"));
  ForgetUnused(*pool, &log);
  Commit(*pool, pool->Add({.name = "b", .address = AddressOf('b')}));
  log.Append(0, {});
  Commit(*pool, pool->Remove("b"));
  log.passed = 1;
  ForgetUnused(*pool, &log);
  EXPECT_EQ(NamesOf(pool->retired()), "b");
  log.passed = 2;
  ForgetUnused(*pool, &log);
  EXPECT_TRUE(pool->retired().empty());
}

TEST(ManagedPoolTest, ExcessIsWhatIsAboveTheShareByWeight) {
  const auto pool = Managed(PoolOf("abcd"));
  Commit(*pool, pool->Change("a", {.weight = 2}));
  Commit(*pool, pool->Change("d", {.state = BackendState::kDrain}));
  std::vector<Lease> leases;
  const auto take = [&](const char* name, int count) {
    for (; count > 0; --count) leases.push_back(pool->pool().TryAcquire(*ObjectOf(*pool, name)));
  };
  EXPECT_TRUE(pool->ExcessOfShare().empty());
  take("a", 1);
  take("b", 7);
  take("c", 4);
  // 12 sessions, shares 6, 3 and 3; the drained one takes no part.
  const auto excess = pool->ExcessOfShare();
  ASSERT_EQ(excess.size(), 2u);
  EXPECT_EQ(excess[0].backend->name(), "b");
  EXPECT_EQ(excess[0].count, 4);
  EXPECT_EQ(excess[1].backend->name(), "c");
  EXPECT_EQ(excess[1].count, 1);
  for (const char* name : {"a", "b", "c"}) Commit(*pool, pool->Change(name, {.weight = 0}));
  EXPECT_TRUE(pool->ExcessOfShare().empty()) << "nobody takes part";
}

TEST(ManagedPoolTest, StatusShowsOverridesDrainsAndSums) {
  const auto pool = Managed(PoolOf("ab"));
  Commit(*pool, pool->Change("a", {.state = BackendState::kDrain}));
  pool->NoteDrain(*ObjectOf(*pool, "a"), 1'500);
  pool->meters(0)->counters.connects.Add(2);
  pool->meters(1)->counters.connects.Add(3);
  PoolStatus status = pool->Status(1'000, {});
  EXPECT_EQ(status.name, "back");
  EXPECT_EQ(status.policy, "least_connections");
  EXPECT_EQ(status.sums.connects, 5u);
  EXPECT_EQ(status.backends[0].state, BackendState::kDrain);
  EXPECT_EQ(status.backends[0].overrides, Names{"state"});
  EXPECT_EQ(status.backends[0].drain_left_ms, 500);
  EXPECT_EQ(status.backends[1].drain_left_ms, -1);
  EXPECT_EQ(pool->Status(9'000, {}).backends[0].drain_left_ms, 0);
  pool->NoteDrain(*ObjectOf(*pool, "a"), 0);
  EXPECT_EQ(pool->Status(1'000, {}).backends[0].drain_left_ms, -1);
}

}  // namespace
}  // namespace l4lb

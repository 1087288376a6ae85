// SPDX-License-Identifier: Apache-2.0
//
// What becomes of verdicts, failures and time: who takes sessions.  The checker is a fake.
#include "l4lb/server/pool_health.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "tests/server/pool_builder.h"

namespace l4lb {
namespace {

class FakeChecker final : public Checker {
 public:
  void Add(uint64_t id, CheckTarget target) override {
    EXPECT_TRUE(targets.emplace(id, std::move(target)).second) << "in use already";
  }
  void Remove(uint64_t id) override {
    EXPECT_EQ(targets.erase(id), 1u) << "unknown";
    wants_good.erase(id);
  }
  void WantGoodChecks(uint64_t id, bool wanted) override {
    EXPECT_EQ(targets.count(id), 1u);
    wanted ? (void)wants_good.insert(id) : (void)wants_good.erase(id);
  }
  void SetMostInFlight(int) override {}
  absl::flat_hash_map<uint64_t, CheckStatus> Status() const override { return {}; }

  std::map<uint64_t, CheckTarget> targets;
  std::set<uint64_t> wants_good;
};

Config::Pool Checked(const std::string& letters) {
  Config::Pool config = PoolOf(letters);
  config.health_check.type = Config::CheckType::kTcp;
  return config;
}

class PoolHealthTest : public ::testing::Test {
 protected:
  void Make(const Config::Pool& config) {
    auto made = ManagedPool::Make(7, config, 2, ManagedPool::Birth::kAtStart);
    ASSERT_TRUE(made.ok()) << made.status();
    pool_ = *std::move(made);
    health().SyncChecks(&checker_);
  }
  void Reload(const Config::Pool& config) {
    Commit(*pool_, pool_->Reload(config));
    health().SyncChecks(&checker_);
    pool_->ApplyHealth(now_ms_);
  }
  PoolHealth& health() { return pool_->health(); }
  uint64_t IdOf(const std::string& name) { return ObjectOf(*pool_, name)->id(); }

  void Check(const std::string& name, Health found) {
    const CheckNews news{.target = IdOf(name),
                         .health = found,
                         .passed = found == Health::kUp,
                         .begun_ms = now_ms_,
                         .text = "said so"};
    if (health().OnCheck(news, now_ms_)) pool_->ApplyHealth(now_ms_);
  }
  void Streak(const std::string& name) {
    if (health().OnFailure(IdOf(name), now_ms_)) pool_->ApplyHealth(now_ms_);
  }
  void After(int64_t ms) {
    now_ms_ += ms;
    if (health().Tick(now_ms_)) pool_->ApplyHealth(now_ms_);
  }
  std::string Taking() { return Pickable(*pool_); }
  BackendStatus StatusOf(const std::string& name) {
    for (const BackendStatus& status : pool_->Status(now_ms_, {}).backends) {
      if (status.name == name) return status;
    }
    ADD_FAILURE() << "no backend " << name;
    return {};
  }

  FakeChecker checker_;
  std::unique_ptr<ManagedPool> pool_;
  int64_t now_ms_ = 1'000'000'000;  // Later than the real clock, by which Commit() goes.
};

TEST_F(PoolHealthTest, AtTheStartOfTheProcessAllTakeSessionsUntilTheyAreDown) {
  Make(Checked("abc"));
  EXPECT_EQ(Taking(), "abc");
  EXPECT_EQ(StatusOf("a").check.health, Health::kUnknown);
  Check("a", Health::kDown);
  EXPECT_EQ(Taking(), "bc");
  Check("b", Health::kUp);
  EXPECT_EQ(Taking(), "bc");
  Check("a", Health::kUp);
  EXPECT_EQ(Taking(), "abc");
  EXPECT_EQ(pool_->Status(now_ms_, {}).healthy, 3);
}

TEST_F(PoolHealthTest, ChecksAreSpreadOverTheInterval) {
  Config::Pool config = Checked("abcd");
  config.health_check.interval = absl::Seconds(2);
  Make(config);
  std::set<int64_t> firsts;
  for (const auto& [id, target] : checker_.targets) firsts.insert(target.first_in_ms);
  EXPECT_EQ(firsts, (std::set<int64_t>{0, 500, 1'000, 1'500}));
}

TEST_F(PoolHealthTest, WhoComesLaterWaitsForItsFirstGoodCheck) {
  Make(Checked("ab"));
  Reload(Checked("abc"));
  EXPECT_EQ(Taking(), "ab");
  EXPECT_FALSE(StatusOf("c").takes_sessions);
  Check("c", Health::kUp);
  EXPECT_EQ(Taking(), "abc");
}

TEST_F(PoolHealthTest, UnlessNobodyElseTakesAny) {
  Make(Checked("ab"));
  Reload(Checked("c"));
  EXPECT_EQ(Taking(), "c");
}

TEST_F(PoolHealthTest, VerdictsOutliveAReload) {
  Make(Checked("abc"));
  Check("a", Health::kDown);
  const uint64_t before = IdOf("a");
  Config::Pool config = Checked("abc");
  config.health_check.interval = absl::Seconds(9);
  Reload(config);
  EXPECT_EQ(IdOf("a"), before);
  EXPECT_EQ(Taking(), "bc");
  EXPECT_EQ(checker_.targets.at(before).health, Health::kDown) << "it was told again";
  EXPECT_EQ(checker_.targets.at(before).plan->interval_ms, 9'000);
}

TEST_F(PoolHealthTest, WithoutChecksNobodyIsDown) {
  Make(Checked("ab"));
  Check("a", Health::kDown);
  Reload(PoolOf("ab"));
  EXPECT_EQ(Taking(), "ab");
  EXPECT_TRUE(checker_.targets.empty());
  EXPECT_EQ(StatusOf("a").check.health, Health::kUnchecked);
  Reload(Checked("ab"));
  EXPECT_EQ(Taking(), "ab") << "they were there before the checks";
  EXPECT_EQ(checker_.targets.size(), 2u);
}

TEST_F(PoolHealthTest, ARemovedBackendIsCheckedNoMore) {
  Make(Checked("ab"));
  Reload(Checked("b"));
  EXPECT_EQ(checker_.targets.size(), 1u);
  EXPECT_EQ(checker_.targets.begin()->first, IdOf("b"));
}

TEST_F(PoolHealthTest, TheOperatorsWordComesFirst) {
  Make(Checked("ab"));
  Commit(*pool_, pool_->Change("a", {.state = BackendState::kDrain}));
  Check("a", Health::kUp);
  EXPECT_EQ(Taking(), "b");
}

TEST_F(PoolHealthTest, AStreakEjectsForAWhile) {
  Make(PoolOf("abc"));
  Streak("a");
  EXPECT_EQ(Taking(), "bc");
  EXPECT_EQ(StatusOf("a").ejections, 1u);
  EXPECT_NEAR(static_cast<double>(StatusOf("a").ejected_left_ms), 10'000, 1'000);
  EXPECT_TRUE(health().needs_tick());
  After(8'900);
  EXPECT_EQ(Taking(), "bc");
  After(2'200);
  EXPECT_EQ(Taking(), "abc");
  EXPECT_EQ(StatusOf("a").ejected_left_ms, -1);
  EXPECT_FALSE(health().needs_tick());
}

TEST_F(PoolHealthTest, NotMoreThanTheMost) {
  Make(PoolOf("abc"));
  Streak("a");
  Streak("b");
  EXPECT_EQ(Taking(), "bc") << "34 % of 3 is one";
}

TEST_F(PoolHealthTest, NobodyOfTwo) {
  Make(PoolOf("ab"));
  Streak("a");
  EXPECT_EQ(Taking(), "ab");
}

TEST_F(PoolHealthTest, NeverTheLastOne) {
  Config::Pool config = Checked("abc");
  config.eject.max_ejected = 100;
  Make(config);
  Check("a", Health::kDown);
  Commit(*pool_, pool_->Change("b", {.state = BackendState::kDown}));
  Streak("c");
  EXPECT_EQ(Taking(), "c");
}

TEST_F(PoolHealthTest, AGoodCheckEndsAnEjection) {
  Make(Checked("abc"));
  Streak("a");
  EXPECT_EQ(checker_.wants_good, std::set<uint64_t>{IdOf("a")});
  CheckNews old{.target = IdOf("a"), .health = Health::kUp, .passed = true};
  old.begun_ms = now_ms_ - 1;
  health().OnCheck(old, now_ms_);
  pool_->ApplyHealth(now_ms_);
  EXPECT_EQ(Taking(), "bc") << "it began before the ejection";
  now_ms_ += 1;
  Check("a", Health::kUp);
  EXPECT_EQ(Taking(), "abc");
  EXPECT_TRUE(checker_.wants_good.empty());
}

TEST_F(PoolHealthTest, AFailureRateEjects) {
  Make(PoolOf("abc"));
  Backend& a = *ObjectOf(*pool_, "a");
  health().OnFailure(0, now_ms_);
  EXPECT_TRUE(health().needs_tick());
  After(100);
  for (int i = 0; i < 10; ++i) {
    a.CountSession(0);
    a.CountFailure(now_ms_);
  }
  After(1'000);
  EXPECT_EQ(Taking(), "bc");
}

TEST_F(PoolHealthTest, FailuresAreWatchedForAWindowOnly) {
  Make(PoolOf("abc"));
  health().OnFailure(0, now_ms_);
  After(10'000);
  EXPECT_FALSE(health().needs_tick());
}

TEST_F(PoolHealthTest, FailsOpenAndTellsSo) {
  Config::Pool config = Checked("abc");
  config.fail_open.below = 50;
  Make(config);
  Check("a", Health::kDown);
  EXPECT_EQ(Taking(), "bc");
  Check("b", Health::kDown);
  EXPECT_EQ(Taking(), "abc");
  EXPECT_TRUE(pool_->Status(now_ms_, {}).fail_open);
  EXPECT_EQ(pool_->Status(now_ms_, {}).healthy, 1);
  EXPECT_FALSE(health().IsDown(*ObjectOf(*pool_, "a"))) << "nobody believes it";
  Check("b", Health::kUp);
  EXPECT_EQ(Taking(), "bc");
  EXPECT_TRUE(health().IsDown(*ObjectOf(*pool_, "a")));
}

TEST_F(PoolHealthTest, WithoutFailingOpenAllMayBeOut) {
  Make(Checked("ab"));
  Check("a", Health::kDown);
  Check("b", Health::kDown);
  EXPECT_EQ(Taking(), "");
}

TEST_F(PoolHealthTest, BackupsTakeOver) {
  Config::Pool config = Checked("abc");
  Entry(config, 'c').backup = true;
  Make(config);
  EXPECT_EQ(Taking(), "ab");
  Check("a", Health::kDown);
  EXPECT_EQ(Taking(), "b");
  Check("b", Health::kDown);
  EXPECT_EQ(Taking(), "c");
  Check("a", Health::kUp);
  EXPECT_EQ(Taking(), "a");
}

TEST_F(PoolHealthTest, ASlowStartRaisesTheLimitToo) {
  Config::Pool config = Checked("ab");
  config.slow_start.time = absl::Seconds(10);
  Entry(config, 'a').max_connections = 100;
  Make(config);
  const int slot = ObjectOf(*pool_, "a")->slot();
  EXPECT_EQ(pool_->pool().table().limit(slot), 100) << "not at the start";
  EXPECT_EQ(StatusOf("a").slow_start_left_ms, -1);
  Check("a", Health::kDown);
  After(60'000);  // Longer than a slow start.
  Check("a", Health::kUp);
  EXPECT_EQ(pool_->pool().table().limit(slot), 10);
  EXPECT_EQ(ObjectOf(*pool_, "a")->slow_start_ms(), now_ms_);
  EXPECT_EQ(ObjectOf(*pool_, "a")->candidacy(), 0.5) << "of two";
  After(5'000);
  EXPECT_EQ(pool_->pool().table().limit(slot), 50);
  EXPECT_EQ(StatusOf("a").slow_start_left_ms, 5'000);
  After(5'000);
  EXPECT_EQ(pool_->pool().table().limit(slot), 100);
  EXPECT_EQ(ObjectOf(*pool_, "a")->slow_start_ms(), 0);
  EXPECT_FALSE(health().needs_tick());
}

TEST_F(PoolHealthTest, SlowConnectsAreSaidOnce) {
  Make(PoolOf("abc"));
  const auto connect = [this](const std::string& name, int64_t ms) {
    for (int i = 0; i < 10; ++i) ObjectOf(*pool_, name)->CountSession(ms);
  };
  connect("a", 500);
  connect("b", 2);
  connect("c", 2);
  health().LookForSlowOnes();
  EXPECT_TRUE(StatusOf("a").slow);
  EXPECT_FALSE(StatusOf("b").slow);
  health().LookForSlowOnes();
  EXPECT_TRUE(StatusOf("a").slow) << "nothing is new";
  for (const char* name : {"a", "b", "c"}) connect(name, 2);
  health().LookForSlowOnes();
  EXPECT_FALSE(StatusOf("a").slow);
}

}  // namespace
}  // namespace l4lb

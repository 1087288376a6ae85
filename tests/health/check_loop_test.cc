// SPDX-License-Identifier: Apache-2.0
//
// Who is checked when, and what follows.
#include "l4lb/health/check_loop.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/health/check_loop_fixture.h"

namespace l4lb {
namespace {

TEST_F(CheckLoopTest, IntervalsFromStartToStartWithJitter) {
  LoopBackend& backend = NewBackend();
  backend.Delay(300);  // Does not count.
  Add(1, backend, Every(2000));
  Run(400'000);
  const std::vector<int64_t> intervals = Intervals(backend.arrivals_ms);
  ASSERT_GE(intervals.size(), 190u);
  const auto [least, most] = std::minmax_element(intervals.begin(), intervals.end());
  EXPECT_GE(*least, 1889);
  EXPECT_LE(*most, 2111);
  EXPECT_GT(*most - *least, 80) << "no jitter";
  const double mean = std::accumulate(intervals.begin(), intervals.end(), 0.0) / intervals.size();
  EXPECT_NEAR(mean, 2000, 25);
}

// A hundred targets, their first checks spread by whoever added them.
TEST_F(CheckLoopTest, StaySpread) {
  for (int i = 0; i < 100; ++i) Add(i, NewBackend(), Every(2000), Health::kUnknown, i * 20);
  Run(30'000);
  std::map<int64_t, int> buckets;
  int in_twenty_s = 0;
  const int64_t now_ms = Now();
  for (const auto& backend : backends_) {
    for (const int64_t at_ms : backend->arrivals_ms) ++buckets[at_ms / 100];
    in_twenty_s += static_cast<int>(
        std::count_if(backend->arrivals_ms.begin(), backend->arrivals_ms.end(),
                      [now_ms](int64_t at_ms) { return at_ms > now_ms - 20'000; }));
  }
  for (const auto& [bucket, count] : buckets) EXPECT_LE(count, 25) << bucket;
  EXPECT_NEAR(in_twenty_s, 1000, 50);
}

// Added at the same moment: jitter takes them apart, and they do not find together again.
TEST_F(CheckLoopTest, DriftApart) {
  for (int i = 0; i < 100; ++i) Add(i, NewBackend(), Every(2000));
  Run(200'000);
  std::map<int64_t, int> buckets;
  for (const auto& backend : backends_) {
    for (const int64_t at_ms : backend->arrivals_ms) {
      if (at_ms > Now() - 50'000) ++buckets[at_ms / 100];
    }
  }
  for (const auto& [bucket, count] : buckets) EXPECT_LE(count, 40) << bucket;
}

TEST_F(CheckLoopTest, FirstCheckBringsUp) {
  LoopBackend& backend = NewBackend();
  Add(7, backend, Every(2000), Health::kUnknown, 500);
  EXPECT_EQ(Status(7).health, Health::kUnknown);
  EXPECT_NEAR(Status(7).next_in_ms, 500, 10);
  Run(490);
  EXPECT_TRUE(news_.empty());
  Run(30);
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].target, 7u);
  EXPECT_EQ(news_[0].health, Health::kUp);
  EXPECT_TRUE(news_[0].changed);
  EXPECT_TRUE(news_[0].passed);
  EXPECT_EQ(news_[0].text, "1 check passed");
  EXPECT_NEAR(news_[0].begun_ms, Now(), 30);
  EXPECT_EQ(Status(7).health, Health::kUp);
  EXPECT_EQ(Status(7).passed, 1u);
  EXPECT_TRUE(Status(7).last_passed);
  EXPECT_GT(Status(7).last_unix_ms, 0);
  EXPECT_NEAR(Status(7).next_in_ms, 2000, 130);
}

TEST_F(CheckLoopTest, DownAndUpWithFastIntervals) {
  LoopBackend& backend = NewBackend();
  Add(1, backend, Every(2000), Health::kUp);
  Run(10'000);
  EXPECT_TRUE(news_.empty());
  backend.Refuse(true);
  const int64_t died_ms = Now();
  Run(2110 + 2 * 530);
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].health, Health::kDown);
  EXPECT_FALSE(news_[0].passed);
  EXPECT_EQ(news_[0].text, "3 checks failed, the last: connection refused");
  EXPECT_GE(news_at_ms_[0] - died_ms, 2 * 470);
  EXPECT_EQ(Status(1).last_reason, "connection refused");
  EXPECT_GE(Status(1).failed, 3u);

  Run(20'000);
  EXPECT_NEAR(Status(1).failed, 13, 2) << "as often as before, once it is known";
  backend.Refuse(false);
  backend.arrivals_ms.clear();
  Run(2110 + 530);
  ASSERT_EQ(news_.size(), 2u);
  EXPECT_EQ(news_[1].health, Health::kUp);
  EXPECT_EQ(news_[1].text, "2 checks passed");
  ASSERT_GE(backend.arrivals_ms.size(), 2u);
  EXPECT_NEAR(backend.arrivals_ms[1] - backend.arrivals_ms[0], 500, 30);
  EXPECT_EQ(Status(1).last_reason, "");
}

TEST_F(CheckLoopTest, FlappingIsNoNews) {
  LoopBackend& backend = NewBackend();
  Add(1, backend, {.interval_ms = 200, .fast_interval_ms = 200}, Health::kUp);
  Run(300);
  for (int i = 0; i < 40; ++i) {
    backend.Refuse(i % 2 == 0);
    const uint64_t before = Status(1).passed + Status(1).failed;
    while (Status(1).passed + Status(1).failed == before) Run(5);
  }
  EXPECT_TRUE(news_.empty());
  EXPECT_EQ(Status(1).failed, 20u);
}

TEST_F(CheckLoopTest, OneSocketAndNoPause) {
  LoopBackend& backend = NewBackend();
  backend.keeps_open = true;
  Add(1, backend, {.interval_ms = 100, .timeout_ms = 300});
  Run(10'000);
  const std::vector<int64_t> intervals = Intervals(backend.arrivals_ms);
  ASSERT_GE(intervals.size(), 30u);
  for (const int64_t interval : intervals) EXPECT_NEAR(interval, 302, 4);
  EXPECT_LE(engine_->ops_in_flight(), 1u);
}

TEST_F(CheckLoopTest, ACheckLongerThanItsInterval) {
  LoopBackend& backend = NewBackend();
  backend.Vanish(true);
  Add(1, backend, {.interval_ms = 100, .timeout_ms = 1000, .fall = 3});
  Run(3100);
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].text, "3 checks failed, the last: no answer within 1000 ms");
  EXPECT_LE(engine_->ops_in_flight(), 1u);
}

TEST_F(CheckLoopTest, MostInFlightInTurn) {
  Start({}, 3);
  for (int i = 0; i < 10; ++i) {
    NewBackend().Vanish(true);
    Add(i, *backends_.back(), Every(2000));
  }
  for (int i = 0; i < 1000; ++i) {
    Run(35);
    ASSERT_LE(loop_->in_flight(), 3);
  }
  for (int i = 0; i < 10; ++i) EXPECT_NEAR(Status(i).failed, 35 * 3 / 10, 2);
}

TEST_F(CheckLoopTest, SetMostInFlight) {
  Start({}, 0);
  Add(1, NewBackend(), Every(2000));
  Run(10'000);
  EXPECT_EQ(Status(1).passed, 0u);
  EXPECT_EQ(Status(1).next_in_ms, 0);
  loop_->SetMostInFlight(1);
  Run(100);
  EXPECT_EQ(Status(1).passed, 1u);
}

// Waits for events, whatever the backend does not do.
TEST_F(CheckLoopTest, NoTurnWithoutNeed) {
  LoopBackend& backend = NewBackend();
  backend.keeps_open = true;
  Add(1, backend, {.interval_ms = 2000, .expected = ExpectText("+PONG")});
  Run(2000);
  const uint64_t before = engine_->stats().turns;
  Run(60'000);
  EXPECT_LT(engine_->stats().turns - before, 60'000 / 500 * 15u);
}

TEST_F(CheckLoopTest, GoodChecksOnDemand) {
  Add(1, NewBackend(), Every(1000), Health::kUp);
  Run(5000);
  EXPECT_TRUE(news_.empty());
  loop_->WantGoodChecks(1, true);
  loop_->WantGoodChecks(99, true);  // Gone meanwhile.
  Run(1100);
  ASSERT_GE(news_.size(), 1u);
  EXPECT_TRUE(news_[0].passed);
  EXPECT_FALSE(news_[0].changed);
  EXPECT_EQ(news_[0].health, Health::kUp);
  loop_->WantGoodChecks(1, false);
  news_.clear();
  Run(5000);
  EXPECT_TRUE(news_.empty());
}

TEST_F(CheckLoopTest, RemovedInFlight) {
  LoopBackend& backend = NewBackend();
  backend.Vanish(true);
  Add(1, backend, {.fall = 1});
  Run(500);
  loop_->Remove(1);
  EXPECT_TRUE(board_.Read(Now()).empty());
  Add(1, backend, {.fall = 1});  // Another one.
  Run(20);
  EXPECT_EQ(engine_->ops_in_flight(), 1u);
  loop_->Remove(1);
  loop_->Remove(1);
  Run(5000);
  EXPECT_TRUE(news_.empty());
  EXPECT_EQ(loop_->in_flight(), 0);
}

TEST_F(CheckLoopTest, RemovedWhileItWaitsForItsTurn) {
  Start({}, 1);
  LoopBackend& slow = NewBackend();
  slow.Vanish(true);
  LoopBackend& other = NewBackend();
  Add(1, slow, Every(2000));
  Run(100);
  Add(2, other, Every(2000));
  Run(100);
  loop_->Remove(2);
  Run(10'000);
  EXPECT_TRUE(other.arrivals_ms.empty());
}

TEST_F(CheckLoopTest, OurOwnLackIsNoResult) {
  Start({.connect_lack = 1});
  Add(1, NewBackend(), Every(2000), Health::kUp);
  Add(2, NewBackend(), {.interval_ms = 2000, .fall = 1});
  Run(20'000);
  EXPECT_TRUE(news_.empty());
  EXPECT_EQ(Status(1).health, Health::kUp);
  EXPECT_EQ(Status(2).health, Health::kUnknown);
  EXPECT_EQ(Status(2).failed, 0u);
  EXPECT_NEAR(Status(2).not_made, 10, 1);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The whole process stood still: its machine was paused, or had no processor time for it.  No
// target can help that.
#include <map>

#include "l4lb/health/check_loop.h"
#include "tests/health/check_loop_fixture.h"

namespace l4lb {
namespace {

class StallTest : public CheckLoopTest {
 protected:
  // The clock of the world goes on meanwhile.
  void StandStill(int64_t ms) {
    loop_->Work();
    clock_.Advance(ms);
    loop_->Wait();
    loop_->Work();
  }
};

TEST_F(StallTest, ACheckUnderWayGetsItsTimeAllTheSame) {
  LoopBackend& backend = NewBackend();
  backend.Delay(800);
  Add(1, backend, {.interval_ms = 2000, .timeout_ms = 1000, .fall = 1}, Health::kUp);
  Run(2400);
  while (loop_->in_flight() == 0) Run(10);
  Run(100);
  ASSERT_EQ(loop_->in_flight(), 1);
  backend.Delay(0);  // Of later ones.
  network_.SetFate(backend.address(), {.blackholed = true});
  const uint64_t failed = Status(1).failed;
  StandStill(5000);
  EXPECT_EQ(Status(1).failed, failed);
  EXPECT_TRUE(news_.empty());
}

TEST_F(StallTest, ItsTimeIsNotWithoutEnd) {
  LoopBackend& backend = NewBackend();
  backend.Vanish(true);
  Add(1, backend, {.interval_ms = 2000, .timeout_ms = 1000, .fall = 1}, Health::kUp);
  Run(300);
  StandStill(5000);
  Run(600);
  EXPECT_TRUE(news_.empty());
  Run(200);
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].text, "1 check failed: no answer within 1000 ms");
}

TEST_F(StallTest, NoSilenceForPhi) {
  for (int i = 0; i < 50; ++i) {
    Add(i, NewBackend(), {.interval_ms = 1000, .phi_threshold = 8}, Health::kUnknown, i * 20);
  }
  Run(60'000);
  news_.clear();
  for (const int64_t ms : {150, 900, 3000, 60'000}) {
    StandStill(ms);
    Run(30'000);
    EXPECT_TRUE(news_.empty()) << ms << ": " << news_[0].text;
  }
  // It still works.
  for (auto& backend : backends_) backend->Vanish(true);
  Run(4000);
  EXPECT_EQ(news_.size(), 50u);
}

// All are overdue; they must not begin together, and so for ever.
TEST_F(StallTest, TargetsStaySpread) {
  for (int i = 0; i < 100; ++i) Add(i, NewBackend(), Every(2000), Health::kUnknown, i * 20);
  Run(10'000);
  StandStill(30'000);
  const int64_t from_ms = Now();
  Run(2000);
  std::map<int64_t, int> buckets;
  for (const auto& backend : backends_) {
    for (const int64_t at_ms : backend->arrivals_ms) {
      if (at_ms >= from_ms) ++buckets[at_ms / 100];
    }
  }
  EXPECT_GE(buckets.size(), 15u);
  for (const auto& [bucket, count] : buckets) EXPECT_LE(count, 25) << bucket;
}

// A short one delays nobody's next check.
TEST_F(StallTest, WhatIsDueBeginsAtOnce) {
  for (int i = 0; i < 100; ++i) Add(i, NewBackend(), Every(2000), Health::kUp, 1000 + i);
  StandStill(1500);
  Run(20);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Status(i).passed, 1u) << i;
}

}  // namespace
}  // namespace l4lb

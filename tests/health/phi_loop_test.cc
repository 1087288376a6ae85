// SPDX-License-Identifier: Apache-2.0
//
// The detector phi on its timer, and what is no silence of a target's.
#include <algorithm>
#include <string>
#include <vector>

#include "l4lb/health/check_loop.h"
#include "tests/health/check_loop_fixture.h"

namespace l4lb {
namespace {

class PhiLoopTest : public CheckLoopTest {
 protected:
  PhiLoopTest() {
    Add(1, backend_, {.interval_ms = 1000, .phi_threshold = 8});
    Run(60'000);
    news_.clear();
    news_at_ms_.clear();
    EXPECT_EQ(Status(1).health, Health::kUp);
  }

  LoopBackend& backend_ = NewBackend();
};

// The deviation is interval / 4 here: 1000 + 5.61 * 250 ms after the last answer.
TEST_F(PhiLoopTest, DownBySilence) {
  EXPECT_LT(Status(1).suspicion, 0.5);
  backend_.Vanish(true);
  Run(10);  // One may be on its way.
  const int64_t last_ms = backend_.arrivals_ms.back();
  Run(2300 - (Now() - last_ms));
  EXPECT_TRUE(news_.empty());
  EXPECT_GT(Status(1).suspicion, 5);
  Run(200);
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].health, Health::kDown);
  EXPECT_FALSE(news_[0].passed);
  EXPECT_NEAR(news_at_ms_[0] - last_ms, 2400, 30);
  EXPECT_EQ(news_[0].text.find("no check passed for 2"), 0u) << news_[0].text;
  EXPECT_NE(news_[0].text.find(" ms: suspicion 8.0"), std::string::npos) << news_[0].text;
  EXPECT_GT(Status(1).suspicion, 8);

  Run(30'000);
  backend_.Vanish(false);
  Run(4000);
  ASSERT_EQ(news_.size(), 2u);
  EXPECT_EQ(news_[1].health, Health::kUp);
  EXPECT_EQ(news_[1].text, "2 checks passed");
  EXPECT_LT(Status(1).suspicion, 1);
}

TEST_F(PhiLoopTest, AFailedCheckAloneIsNoSilence) {
  backend_.Refuse(true);
  Run(900);
  backend_.Refuse(false);
  Run(20'000);
  EXPECT_TRUE(news_.empty());
}

// No check at all for a minute, by our own fault.
TEST_F(PhiLoopTest, WhatWeDidNotAskIsNoSilence) {
  loop_->SetMostInFlight(0);
  Run(60'000);
  loop_->SetMostInFlight(10);
  Run(20'000);
  EXPECT_TRUE(news_.empty());
  EXPECT_NEAR(Status(1).passed, 80, 3);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/ejection.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr double kNoJitter = 0.5;

TEST(EjectionTest, EachTimeTwiceAsLongUpToTheMost) {
  const EjectionRule rule{.base_ms = 10'000, .max_ms = 60'000};
  Ejection ejection;
  int64_t now_ms = 1'000'000;
  for (const int64_t length_ms : {10'000, 20'000, 40'000, 60'000, 60'000}) {
    EXPECT_EQ(ejection.Begin(now_ms, rule, kNoJitter), length_ms);
    EXPECT_TRUE(ejection.active());
    EXPECT_EQ(ejection.until_ms(), now_ms + length_ms);
    now_ms += length_ms;
    ejection.End(now_ms);
    EXPECT_FALSE(ejection.active());
    now_ms += 1'000;
  }
  EXPECT_EQ(ejection.count(), 5u);
}

TEST(EjectionTest, AGoodTimeTwiceAsLongMakesUpForIt) {
  const EjectionRule rule{.base_ms = 10'000, .max_ms = 60'000};
  Ejection ejection;
  ejection.Begin(0, rule, kNoJitter);
  ejection.End(10'000);
  EXPECT_EQ(ejection.Begin(10'000 + 19'999, rule, kNoJitter), 20'000);
  ejection.End(50'000);
  EXPECT_EQ(ejection.Begin(50'000 + 40'000, rule, kNoJitter), 10'000);
}

TEST(EjectionTest, JitterIsATenth) {
  const EjectionRule rule{.base_ms = 10'000, .max_ms = 60'000};
  EXPECT_EQ(Ejection().Begin(0, rule, 0), 9'000);
  EXPECT_NEAR(static_cast<double>(Ejection().Begin(0, rule, 0.999999)), 11'000, 1);
}

TEST(EjectionTest, TheMostIsRoundedDown) {
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 34}.MostOf(1), 0);
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 34}.MostOf(2), 0);
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 34}.MostOf(3), 1);
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 34}.MostOf(10'000), 3'400);
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 0}.MostOf(10'000), 0);
  EXPECT_EQ(EjectionRule{.max_ejected_percent = 100}.MostOf(7), 7);
}

TEST(FailureRateTest, FewConnectionsSayNothing) {
  FailureRate rate;
  EXPECT_FALSE(rate.Exceeds(0, {}, {}));
  EXPECT_FALSE(rate.Exceeds(100, {.failures = 9}, {}));
  EXPECT_TRUE(rate.Exceeds(200, {.failures = 10}, {}));
}

TEST(FailureRateTest, EarlyResetsCount) {
  FailureRate rate;
  EXPECT_FALSE(rate.Exceeds(0, {}, {}));
  EXPECT_FALSE(rate.Exceeds(100, {.sessions = 20, .early_resets = 9}, {}));
  EXPECT_TRUE(rate.Exceeds(200, {.sessions = 20, .early_resets = 10}, {}));
}

TEST(FailureRateTest, OfNoRateNobodyHasTooMuch) {
  FailureRate rate;
  EXPECT_FALSE(rate.Exceeds(0, {}, {.rate_percent = 0}));
  EXPECT_FALSE(rate.Exceeds(100, {.failures = 1'000}, {.rate_percent = 0}));
}

// Against all that happened, remembered: exact where the window begins at a sample.
TEST(FailureRateTest, SlidesAsAWindowDoes) {
  constexpr int64_t kStepMs = 100;
  constexpr int kStepsOfWindow = 10;
  const EjectionRule rule{.streak = {.window_ms = kStepMs * kStepsOfWindow}, .rate_percent = 40};
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Dice dice(seed);
    FailureRate rate;
    std::vector<Tally> history;
    Tally tally;
    for (int step = 0; step < 300; ++step) {
      const size_t begin = step > kStepsOfWindow ? static_cast<size_t>(step - kStepsOfWindow) : 0;
      history.push_back(tally);
      const uint64_t attempts = tally.attempts() - history[begin].attempts();
      const uint64_t failed = tally.failed() - history[begin].failed();
      EXPECT_EQ(rate.Exceeds(step * kStepMs, tally, rule),
                attempts >= FailureRate::kFewest && failed * 100 >= attempts * 40)
          << "seed " << seed << ", step " << step;
      if (dice.Chance(0.02)) {
        rate.Clear();
        history.assign(static_cast<size_t>(step) + 1, tally);
        EXPECT_FALSE(rate.Exceeds(step * kStepMs, tally, rule));
      }
      tally.sessions += dice.Below(4);
      tally.failures += dice.Below(3);
      tally.early_resets += dice.Below(2);
    }
  }
}

}  // namespace
}  // namespace l4lb

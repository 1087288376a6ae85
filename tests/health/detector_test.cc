// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/detector.h"

#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr int64_t kStartMs = 1'000'000;

// + a check passed, - one failed; what stands after each: ? unknown, U up, D down.
struct Story {
  Health known;
  std::string results;
  std::string verdicts;
};

char Letter(Health health) {
  return health == Health::kUp ? 'U' : health == Health::kDown ? 'D' : '?';
}

TEST(DetectorTest, CountsInARow) {
  const Story stories[] = {
      {Health::kUnknown, "+", "U"},
      {Health::kUnknown, "-+", "?U"},
      {Health::kUnknown, "---", "??D"},
      {Health::kUnknown, "--+---", "??UUUD"},
      {Health::kUp, "---++", "UUDDU"},
      {Health::kUp, "-+-+--+--+", "UUUUUUUUUU"},  // Flapping takes nobody out...
      {Health::kDown, "+-+-+-", "DDDDDD"},        // ... and brings nobody back.
      {Health::kDown, "+-++", "DDDU"},
      {Health::kUp, "++---+++---", "UUUUDDUUUUD"},
  };
  for (const Story& story : stories) {
    Detector detector({.rise = 2, .fall = 3}, story.known);
    std::string verdicts;
    for (const char result : story.results) {
      const Health before = detector.health();
      const bool changed = result == '+' ? detector.OnPassed(kStartMs) : detector.OnFailed();
      EXPECT_EQ(changed, detector.health() != before);
      verdicts += Letter(detector.health());
    }
    EXPECT_EQ(verdicts, story.verdicts) << story.results;
  }
}

TEST(DetectorTest, InDoubtWhileTheLastResultContradicts) {
  Detector detector({.rise = 2, .fall = 3}, Health::kUnknown);
  EXPECT_FALSE(detector.in_doubt()) << "nothing is known, nothing is contradicted";
  detector.OnFailed();
  EXPECT_TRUE(detector.in_doubt());
  detector.OnPassed(kStartMs);
  EXPECT_FALSE(detector.in_doubt());
  detector.OnFailed();
  EXPECT_TRUE(detector.in_doubt());
  detector.OnFailed();
  detector.OnFailed();
  EXPECT_FALSE(detector.in_doubt());
  detector.OnPassed(kStartMs);
  EXPECT_TRUE(detector.in_doubt());
}

// Against the definition, by looking back over all results.
TEST(DetectorTest, RandomResults) {
  Dice dice(std::random_device{}());
  SCOPED_TRACE(dice.seed());
  for (int round = 0; round < 300; ++round) {
    const int rise = static_cast<int>(dice.Between(1, 5));
    const int fall = static_cast<int>(dice.Between(1, 5));
    Detector detector({.rise = rise, .fall = fall}, Health::kUnknown);
    Health expected = Health::kUnknown;
    std::string results;
    for (int i = 0; i < 60; ++i) {
      const bool passed = dice.Chance(0.5);
      results += passed ? '+' : '-';
      passed ? detector.OnPassed(kStartMs) : detector.OnFailed();
      const int needed = !passed ? fall : expected == Health::kDown ? rise : 1;
      const std::string tail(needed, results.back());
      if (results.ends_with(tail)) expected = passed ? Health::kUp : Health::kDown;
      ASSERT_EQ(detector.health(), expected) << results << " rise " << rise << " fall " << fall;
    }
  }
}

class PhiDetectorTest : public ::testing::Test {
 protected:
  // Answers in time.
  void Answer(int times, int64_t every_ms) {
    for (int i = 0; i < times; ++i) {
      now_ms_ += every_ms;
      detector_.OnPassed(now_ms_);
    }
  }

  const CheckPlan plan_{.interval_ms = 2000, .rise = 2, .fall = 3, .phi_threshold = 8};
  Detector detector_{plan_, Health::kUnknown};
  int64_t now_ms_ = kStartMs;
};

TEST_F(PhiDetectorTest, CountsBeforeEightAnswers) {
  Answer(7, 2000);
  EXPECT_EQ(detector_.SuspectedAt(), Detector::kNever);
  EXPECT_EQ(detector_.rhythm().Suspicion(now_ms_ + 100'000), 0);
  detector_.OnFailed();
  detector_.OnFailed();
  EXPECT_TRUE(detector_.OnFailed());
  EXPECT_EQ(detector_.health(), Health::kDown);
}

// Intervals that are all alike: the deviation is interval / 4, and 8 is 5.6120 deviations away.
TEST_F(PhiDetectorTest, DownWhenTheThresholdIsReached) {
  Answer(8, 2000);
  EXPECT_EQ(detector_.SuspectedAt(), now_ms_ + 2000 + 2806 + 1);
  EXPECT_FALSE(detector_.OnSilence(detector_.SuspectedAt() - 1));
  EXPECT_EQ(detector_.health(), Health::kUp);
  EXPECT_TRUE(detector_.OnSilence(detector_.SuspectedAt()));
  EXPECT_EQ(detector_.health(), Health::kDown);
  EXPECT_EQ(detector_.SuspectedAt(), Detector::kNever);
}

TEST_F(PhiDetectorTest, DeviationIsAtLeastAHundred) {
  Detector detector({.interval_ms = 100, .phi_threshold = 8}, Health::kUp);
  for (int i = 0; i < 8; ++i) detector.OnPassed(now_ms_ += 100);
  EXPECT_DOUBLE_EQ(detector.rhythm().mean_ms, 100);
  EXPECT_DOUBLE_EQ(detector.rhythm().deviation_ms, 100);
}

TEST_F(PhiDetectorTest, FailuresAloneDoNotCount) {
  Answer(8, 2000);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(detector_.OnFailed());
  EXPECT_FALSE(detector_.in_doubt()) << "intervals of two kinds";
  EXPECT_EQ(detector_.health(), Health::kUp);
}

TEST_F(PhiDetectorTest, WideIntervalsMakeItPatient) {
  for (int i = 0; i < 20; ++i) Answer(1, i % 5 == 0 ? 6000 : 2000);
  EXPECT_GT(detector_.SuspectedAt() - now_ms_, 10'000);
}

TEST_F(PhiDetectorTest, AnOutageIsNoRhythm) {
  Answer(20, 2000);
  const double mean_ms = detector_.rhythm().mean_ms;
  now_ms_ += 600'000;
  ASSERT_TRUE(detector_.OnSilence(now_ms_));
  detector_.OnPassed(now_ms_ += 1000);
  EXPECT_TRUE(detector_.in_doubt());
  EXPECT_EQ(detector_.health(), Health::kDown);
  EXPECT_TRUE(detector_.OnPassed(now_ms_ += 500));
  EXPECT_EQ(detector_.health(), Health::kUp);
  Answer(5, 2000);
  EXPECT_DOUBLE_EQ(detector_.rhythm().mean_ms, mean_ms);
  EXPECT_NE(detector_.SuspectedAt(), Detector::kNever);
}

TEST_F(PhiDetectorTest, OurOwnDelayIsExcused) {
  Answer(8, 2000);
  const int64_t suspected_ms = detector_.SuspectedAt();
  detector_.Excuse(700);
  EXPECT_EQ(detector_.SuspectedAt(), suspected_ms + 700);
  Answer(1, 2700);
  EXPECT_DOUBLE_EQ(detector_.rhythm().mean_ms, 2000);
}

TEST_F(PhiDetectorTest, NothingToExcuseBeforeTheFirstAnswer) {
  detector_.Excuse(700);
  Answer(8, 2000);
  EXPECT_DOUBLE_EQ(detector_.rhythm().mean_ms, 2000);
}

}  // namespace
}  // namespace l4lb

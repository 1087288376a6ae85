// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/figures.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tools/skew/sample_run.h"

namespace l4lb::skew {
namespace {

using testing::ElementsAre;

TEST(JainIndex, IsOneForEqualAmountsAndAnNthWhenOneHasAll) {
  EXPECT_DOUBLE_EQ(JainIndex({5, 5, 5, 5}), 1);
  EXPECT_DOUBLE_EQ(JainIndex({9, 0, 0}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(JainIndex({1, 2, 3}), 36.0 / 42);
  EXPECT_DOUBLE_EQ(JainIndex({0, 0}), 0);
}

TEST(Figures, ABackendThatGetsNothingNeverHasItsShare) {
  const Options options = SampleOptions();
  const ModeFigures figures = FiguresOf(options, SampleRun(options, Mode::kLeastConnections, 6000));
  EXPECT_EQ(figures.seconds_to_fair, std::nullopt);
  EXPECT_THAT(figures.before->requests, ElementsAre(90, 90, 0));
  EXPECT_THAT(figures.since_added->requests, ElementsAre(240, 240, 0));
  EXPECT_THAT(figures.since_added->share, ElementsAre(0.5, 0.5, 0));
  EXPECT_DOUBLE_EQ(figures.before->jain, 1);  // Of those that are there.
  EXPECT_DOUBLE_EQ(figures.jain, 2.0 / 3);
  EXPECT_NEAR(figures.p99_ms, 2, 0.01);
  EXPECT_FALSE(figures.removed.has_value());
}

TEST(Figures, TheTimeToAFairShareEndsWithTheFirstHalfSecondThatIsFair) {
  const Options options = SampleOptions();
  const ModeFigures figures = FiguresOf(options, SampleRun(options, Mode::kAge, 3000));
  // 90 % of the share of a window that begins at 2.95 s.
  EXPECT_NEAR(figures.seconds_to_fair.value(), 1.45, 0.001);
  EXPECT_THAT(figures.during->requests, ElementsAre(100, 100, 40));
  EXPECT_THAT(figures.after->share, ElementsAre(1.0 / 3, 1.0 / 3, 1.0 / 3));
  EXPECT_DOUBLE_EQ(figures.jain, 1);
}

TEST(Figures, SeveralAddedBackendsCountTogether) {
  Options options = SampleOptions();
  options.backends = 1;
  options.added = 2;
  ModeRun run = SampleRun(options, Mode::kAge, 6000);
  Answer(&run, 3000, 6000, {2, 4, 0});
  const ModeFigures figures = FiguresOf(options, run);
  EXPECT_DOUBLE_EQ(FairAddedShare(options), 2.0 / 3);
  EXPECT_DOUBLE_EQ(AddedShare(options, *figures.after), 2.0 / 3);
  EXPECT_TRUE(figures.seconds_to_fair.has_value());
}

TEST(Figures, AWindowHasEnoughRequestsForAVerdict) {
  Options options = SampleOptions();
  options.rate = 100;  // A hundred of them for the added one take three seconds.
  const ModeRun run = SampleRun(options, Mode::kClient, 2000);
  EXPECT_NEAR(FiguresOf(options, run).seconds_to_fair.value(), 3, 0.06);
}

TEST(Figures, OfARemovalOnlyThoseThatAreLeftCount) {
  Options options = SampleOptions();
  options.removed = 1;
  options.remove_at_ms = 4000;
  ModeRun run = SampleRun(options, Mode::kAge, 2000);
  Answer(&run, 4000, 6000, {0, 3, 3});
  const ModeFigures figures = FiguresOf(options, run);
  EXPECT_THAT(figures.removed->requests, ElementsAre(0, 120, 120));
  EXPECT_DOUBLE_EQ(figures.removed->jain, 1);
  EXPECT_DOUBLE_EQ(figures.jain, 1);
  EXPECT_DOUBLE_EQ(figures.since_added->to_s, 4);
}

TEST(Figures, WhatWasCutShortHasOnlyThePartsThatCame) {
  const Options options = SampleOptions();
  ModeRun run = SampleRun(options, Mode::kLeastConnections, 6000);
  run.schedule.EndAt(1'000'000'000);
  const ModeFigures figures = FiguresOf(options, run);
  EXPECT_FALSE(figures.during.has_value() || figures.since_added.has_value());
  EXPECT_EQ(figures.watched_s, 0);
  EXPECT_THAT(figures.before->requests, ElementsAre(30, 30, 0));
  EXPECT_EQ(figures.seconds_to_fair, std::nullopt);
}

TEST(Figures, WhatEndedInItsWarmupHasNothing) {
  const Options options = SampleOptions();
  ModeRun run = SampleRun(options, Mode::kLeastConnections, 6000);
  run.schedule.EndAt(100'000'000);
  const ModeFigures figures = FiguresOf(options, run);
  EXPECT_FALSE(figures.before.has_value());
  EXPECT_EQ(figures.jain, 0);
}

TEST(Figures, JainsIndexIsOfTheLastPartThatCame) {
  const Options options = SampleOptions();
  ModeRun run = SampleRun(options, Mode::kLeastConnections, 6000);
  run.schedule.EndAt(3'000'000'000);
  EXPECT_DOUBLE_EQ(FiguresOf(options, run).jain, 2.0 / 3);
}

}  // namespace
}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/story.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tools/skew/sample_run.h"

namespace l4lb::skew {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ModeFigures Figures(Mode mode, int64_t fair_ms, uint64_t cut = 0) {
  const Options options = SampleOptions();
  ModeFigures figures = FiguresOf(options, SampleRun(options, mode, fair_ms));
  figures.connections_cut = cut;
  return figures;
}

TEST(Story, ClaimsHoldWhenTheFiguresSaySo) {
  const auto claims =
      ClaimsOf(SampleOptions(), {Figures(Mode::kMaglev, 6000), Figures(Mode::kAge, 5000, 9),
                                 Figures(Mode::kRebalance, 3000, 3), Figures(Mode::kClient, 2000)});
  ASSERT_EQ(claims.size(), 5u);
  for (const Claim& claim : claims) EXPECT_EQ(claim.holds, true) << claim.claim;
  EXPECT_EQ(claims[0].measured, "none, with maglev");
  EXPECT_EQ(claims[3].measured, "1.4 s and 3 cut, against 3.5 s and 9");
}

TEST(Story, AndDoNotWhenTheyDoNot) {
  Options options = SampleOptions();
  options.max_connection_age_ms = 2000;
  ModeFigures lossy = Figures(Mode::kP2c, 5000);
  --lossy.answered;
  const std::vector<ModeFigures> modes = {lossy, Figures(Mode::kAge, 6000, 3),
                                          Figures(Mode::kRebalance, 6000, 3),
                                          Figures(Mode::kClient, 6000)};
  const auto claims = ClaimsOf(options, modes);
  ASSERT_EQ(claims.size(), 5u);
  for (const Claim& claim : claims) EXPECT_EQ(claim.holds, false) << claim.claim;
  EXPECT_EQ(claims[2].measured, "not in 4.0 s");
  EXPECT_THAT(Headline(options, modes), HasSubstr("Not as claimed: no request is lost"));
}

TEST(Story, DoesNotJudgeARunThatWasTooShort) {
  // Four seconds tell nothing about an age of five.
  const std::vector<ModeFigures> modes = {Figures(Mode::kAge, 6000, 9),
                                          Figures(Mode::kRebalance, 6000, 3)};
  const auto claims = ClaimsOf(SampleOptions(), modes);
  EXPECT_EQ(claims[0].holds, std::nullopt);
  EXPECT_EQ(claims[1].holds, std::nullopt);
  EXPECT_THAT(Headline(SampleOptions(), modes), Not(HasSubstr("Not as claimed")));
}

TEST(Story, RebalanceIsFasterThanWhatDidNotCome) {
  const auto claims =
      ClaimsOf(SampleOptions(), {Figures(Mode::kAge, 6000, 9), Figures(Mode::kRebalance, 3000, 3)});
  EXPECT_EQ(claims[1].holds, true);
}

TEST(Story, NeverIsNotSaidOfWhatWasStopped) {
  ModeFigures figures = Figures(Mode::kAge, 6000);
  EXPECT_EQ(FairText(figures), "never");
  figures.interrupted = true;
  EXPECT_EQ(FairText(figures), "not yet");
  figures.since_added.reset();
  EXPECT_EQ(FairText(figures), "-");
}

TEST(Story, ClaimsNothingOfModesThatDidNotRun) {
  EXPECT_EQ(ClaimsOf(SampleOptions(), {Figures(Mode::kP2c, 6000)}).size(), 2u);
}

TEST(Story, TheHeadlineIsOfTheKindestLayer4Mode) {
  const std::string headline =
      Headline(SampleOptions(), {Figures(Mode::kRandom, 6000), Figures(Mode::kP2c, 5000),
                                 Figures(Mode::kAge, 3000), Figures(Mode::kClient, 2000)});
  EXPECT_THAT(headline, StartsWith("In the 4.0 s after c joined, it got 40 of 480 requests from a "
                                   "layer-4 balancer with p2c (fair: 33.3 %)."));
  EXPECT_THAT(headline, HasSubstr("With max_connection_age: a fair share after 1.4 s."));
  EXPECT_THAT(headline, HasSubstr("With a choice for every request: a fair share after 0.5 s."));
}

TEST(Story, ThatNoPolicyHelpsIsSaidOfAllOfThem) {
  EXPECT_EQ(Headline(SampleOptions(), {Figures(Mode::kRandom, 6000), Figures(Mode::kP2c, 6000)}),
            "In the 4.0 s after c joined, it got 0 of 480 requests from a layer-4 balancer with "
            "any of 2 policies (fair: 33.3 %).");
}

TEST(Story, SaysNeverWhenARemedyDoesNotHelp) {
  EXPECT_EQ(Headline(SampleOptions(), {Figures(Mode::kAge, 6000)}),
            "With max_connection_age: no fair share in 4.0 s.");
}

TEST(Story, SaysWhatWasDoneWhenNothingWasAdded) {
  Options options = SampleOptions();
  EXPECT_EQ(Headline(options, {}), "It was stopped before a backend was added.");
  options.added = 0;
  EXPECT_THAT(Headline(options, {}), StartsWith("Nothing was added: shares"));
  options.removed = 1;
  EXPECT_THAT(Headline(options, {}), StartsWith("Nothing was added, and 1 removed"));
}

}  // namespace
}  // namespace l4lb::skew

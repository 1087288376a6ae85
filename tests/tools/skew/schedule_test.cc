// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/schedule.h"

#include "gtest/gtest.h"
#include "tests/tools/skew/sample_run.h"

namespace l4lb::skew {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(Schedule, CutsARunAtWhatIsAddedAndRemoved) {
  Options options = SampleOptions();
  options.removed = 1;
  options.remove_at_ms = 4000;
  const Schedule schedule(options);
  EXPECT_EQ(schedule.SpanOf(Part::kBefore).from_ns, kSecond / 2);
  EXPECT_EQ(schedule.SpanOf(Part::kDuring).from_ns, 2 * kSecond);
  EXPECT_EQ(schedule.SpanOf(Part::kAfter).from_ns, 3 * kSecond);
  EXPECT_EQ(schedule.SpanOf(Part::kRemoved).from_ns, 4 * kSecond);
  EXPECT_EQ(schedule.SpanOf(Part::kRemoved).to_ns, 6 * kSecond);
  EXPECT_EQ(schedule.SinceAdded().to_ns, 4 * kSecond);
}

TEST(Schedule, HasNoPartForWhatDoesNotHappen) {
  Options options = SampleOptions();
  options.added = 0;
  const Schedule schedule(options);
  EXPECT_TRUE(schedule.SinceAdded().empty());
  EXPECT_TRUE(schedule.SpanOf(Part::kRemoved).empty());
  EXPECT_EQ(schedule.SpanOf(Part::kBefore).to_ns, 6 * kSecond);
}

TEST(Schedule, KnowsThePartOfEveryMoment) {
  Options options = SampleOptions();
  options.removed = 1;
  options.remove_at_ms = 4000;
  Schedule schedule(options);
  EXPECT_EQ(schedule.At(-1), Part::kWarmup);
  EXPECT_EQ(schedule.At(0), Part::kWarmup);
  EXPECT_EQ(schedule.At(kSecond), Part::kBefore);
  EXPECT_EQ(schedule.At(2 * kSecond), Part::kDuring);
  EXPECT_EQ(schedule.At(3 * kSecond + 1), Part::kAfter);
  EXPECT_EQ(schedule.At(9 * kSecond), Part::kRemoved);
  for (int64_t ns = 0; ns < 6 * kSecond; ns += kSecond / 10) {
    const Span span = schedule.SpanOf(schedule.At(ns));
    EXPECT_LE(span.from_ns, ns);
    EXPECT_LT(ns, span.to_ns);
  }
}

TEST(Schedule, ARunThatIsCutShortHasNothingBehindItsEnd) {
  Schedule schedule(SampleOptions());
  schedule.EndAt(kSecond);
  EXPECT_EQ(schedule.end_ns(), kSecond);
  EXPECT_EQ(schedule.SpanOf(Part::kBefore).to_ns, kSecond);
  EXPECT_TRUE(schedule.SinceAdded().empty());
}

}  // namespace
}  // namespace l4lb::skew

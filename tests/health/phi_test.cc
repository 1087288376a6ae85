// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/phi.h"

#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

namespace l4lb {
namespace {

struct Row {
  double deviations;
  double phi;
};

// -log10(erfc(z / sqrt(2)) / 2), by 80 digits of decimal arithmetic (series and continued
// fraction).
constexpr Row kRows[] = {
    {-12, 7.715163784751701e-34}, {-6, 4.284695703651578e-10}, {-3, 5.866493137900667e-04},
    {-1, 7.502601295781802e-02},  {-0.25, 0.2227861532545573}, {0, 0.3010299956639812},
    {0.25, 0.3965376860943207},   {1, 0.7995455414919705},     {2, 1.643016080140937},
    {3, 2.869699035929369},       {5.6, 7.969902850385903},    {8, 15.20614255101716},
    {12, 32.75043916119186},      {20, 88.56009534307559},     {21.2, 99.32104275281300},
    {21.3, 100.2459533160361},    {30, 197.3092092616610},     {38, 315.5397897039625},
    {50, 544.9663358619966},      {100, 2173.871542869034},    {1000, 217150.6400419944},
    {1e5, 2171472414.915356},
};

TEST(PhiTest, IsTheFormula) {
  for (const Row& row : kRows) {
    EXPECT_NEAR(PhiOf(row.deviations) / row.phi, 1, 1e-9) << row.deviations;
  }
}

TEST(PhiTest, RisesWithoutJumps) {
  double last = PhiOf(-38);
  for (double z = -37.99; z < 60; z += 0.01) {
    const double phi = PhiOf(z);
    ASSERT_GE(phi, last) << z;
    ASSERT_LT(phi - last, 0.3) << z;
    last = phi;
  }
}

TEST(PhiTest, NeverOverflows) {
  EXPECT_TRUE(std::isfinite(PhiOf(1e100)));
  EXPECT_GE(PhiOf(-1e100), 0);
  EXPECT_LT(PhiOf(-1e100), 1e-300);
}

TEST(PhiTest, Inverse) {
  for (const double phi : {0.01, 0.3, 0.5, 1.0, 3.0, 8.0, 12.0, 16.0, 100.0, 1000.0, 1e6}) {
    EXPECT_NEAR(PhiOf(DeviationsOf(phi)) / phi, 1, 1e-8) << phi;
  }
  EXPECT_NEAR(DeviationsOf(0.3010299956639812), 0, 1e-9);
  EXPECT_NEAR(DeviationsOf(7.969902850385903), 5.6, 1e-9);
}

TEST(RhythmTest, Suspicion) {
  Rhythm rhythm{.answered_ms = 1'000'000, .mean_ms = 2000, .deviation_ms = 500};
  EXPECT_NEAR(rhythm.Suspicion(1'002'000), 0.30103, 1e-5);
  EXPECT_NEAR(rhythm.Suspicion(1'002'500), 0.79955, 1e-5);
  EXPECT_NEAR(rhythm.Suspicion(1'006'000), 15.20614, 1e-5);
  EXPECT_EQ(Rhythm{}.Suspicion(1'002'000), 0);
}

// The first millisecond, neither sooner nor later.
TEST(RhythmTest, ReachesIsTheInverse) {
  for (const double threshold : {1.0, 3.0, 8.0, 12.0, 100.0}) {
    const Rhythm rhythm{.answered_ms = 12'345, .mean_ms = 1999.3, .deviation_ms = 612.7};
    const int64_t at_ms = rhythm.Reaches(DeviationsOf(threshold));
    EXPECT_GE(rhythm.Suspicion(at_ms), threshold - 1e-9);
    EXPECT_LT(rhythm.Suspicion(at_ms - 1), threshold);
  }
}

TEST(AnswerIntervalsTest, MeanAndDeviation) {
  AnswerIntervals intervals;
  EXPECT_EQ(intervals.mean_ms(), 0);
  EXPECT_EQ(intervals.deviation_ms(), 0);
  for (const int64_t interval : {2, 4, 4, 4, 5, 5, 7, 9}) {
    EXPECT_EQ(intervals.enough(), interval == 9);
    intervals.Add(interval);
  }
  EXPECT_DOUBLE_EQ(intervals.mean_ms(), 5);
  EXPECT_DOUBLE_EQ(intervals.deviation_ms(), 2);
}

TEST(AnswerIntervalsTest, KeepsTheLastHundred) {
  AnswerIntervals intervals;
  for (int i = 0; i < 250; ++i) intervals.Add(1'000'000);
  for (int i = 0; i < 99; ++i) intervals.Add(10);
  EXPECT_GT(intervals.mean_ms(), 10'000);
  intervals.Add(10);
  EXPECT_DOUBLE_EQ(intervals.mean_ms(), 10);
  EXPECT_DOUBLE_EQ(intervals.deviation_ms(), 0);
}

}  // namespace
}  // namespace l4lb

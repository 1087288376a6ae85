// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/variates.h"

#include <cmath>

#include "gtest/gtest.h"

namespace l4lb::lab {
namespace {

constexpr int kDraws = 200'000;

TEST(VariatesTest, LogarithmAndExponentialAreThoseOfTheLibrary) {
  Variates random(1, 1);
  for (int i = 0; i < 10'000; ++i) {
    const double x = random.Uniform();
    EXPECT_NEAR(Log(x), std::log(x), 1e-15 * (1 + std::abs(std::log(x))));
    const double y = 40 * x - 5;
    EXPECT_NEAR(Exp(y) / std::exp(y), 1, 1e-14);
  }
  EXPECT_EQ(Log(1), 0);
  EXPECT_EQ(Exp(0), 1);
}

TEST(VariatesTest, UniformIsNeverNull) {
  Variates random(1, 1);
  double least = 1;
  for (int i = 0; i < kDraws; ++i) least = std::min(least, random.Uniform());
  EXPECT_GT(least, 0);
  EXPECT_LT(least, 1e-4);
}

TEST(VariatesTest, EveryServiceHasMeanOne) {
  for (const Service service : {Service::kExponential, Service::kConstant, Service::kPareto}) {
    Variates random(2, 1);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) sum += random.Draw(service, 3);
    EXPECT_NEAR(sum / kDraws, 1, 0.01);
  }
}

TEST(VariatesTest, ExponentialHasItsTail) {
  Variates random(3, 1);
  int above = 0;
  for (int i = 0; i < kDraws; ++i) above += random.Exponential() > 3;
  EXPECT_NEAR(above / (kDraws * std::exp(-3)), 1, 0.02);
}

TEST(VariatesTest, ParetoHasItsTail) {
  Variates random(3, 1);
  int above = 0;
  for (int i = 0; i < kDraws; ++i) above += random.Pareto(1.5) > 10;
  const double least = 0.5 / 1.5;
  EXPECT_NEAR(above / (kDraws * std::pow(least / 10, 1.5)), 1, 0.05);
}

TEST(VariatesTest, StreamsAndSeedsDiffer) {
  EXPECT_EQ(Variates(1, 1).Next(), Variates(1, 1).Next());
  EXPECT_NE(Variates(1, 1).Next(), Variates(1, 2).Next());
  EXPECT_NE(Variates(1, 1).Next(), Variates(2, 1).Next());
}

}  // namespace
}  // namespace l4lb::lab

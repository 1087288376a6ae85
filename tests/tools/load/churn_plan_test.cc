// SPDX-License-Identifier: Apache-2.0
#include "tools/load/churn_plan.h"

#include <gtest/gtest.h>

#include <array>

namespace l4lb::load {
namespace {

ChurnPlan PlanOf(uint64_t seed, uint64_t session, bool with_backend) {
  Chance chance(seed, session);
  return MakeChurnPlan(chance, with_backend);
}

TEST(ChurnPlanTest, ASessionDoesTheSameForTheSameSeed) {
  int same = 0;
  for (uint64_t session = 1; session < 100; ++session) {
    const ChurnPlan plan = PlanOf(9, session, true);
    const ChurnPlan again = PlanOf(9, session, true);
    EXPECT_EQ(plan.ending, again.ending);
    EXPECT_EQ(plan.bytes, again.bytes);
    EXPECT_EQ(plan.limit, again.limit);
    EXPECT_EQ(plan.chunk, again.chunk);
    same += plan.bytes == PlanOf(10, session, true).bytes ? 1 : 0;
  }
  EXPECT_LT(same, 20);  // Another seed, other sessions.
}

TEST(ChurnPlanTest, EveryEndingComesAndNoBackendIsAskedThatCannotBe) {
  for (const bool with_backend : {false, true}) {
    std::array<int, kEndingCount> seen = {};
    for (uint64_t session = 1; session <= 2000; ++session) {
      const ChurnPlan plan = PlanOf(1, session, with_backend);
      ++seen[static_cast<size_t>(plan.ending)];
      EXPECT_GE(plan.bytes, 1u);
      EXPECT_LE(plan.bytes, uint64_t{1} << 20);
      EXPECT_GE(plan.limit, 1u);
      EXPECT_LE(plan.limit, plan.bytes);  // Or it would never be reached.
      EXPECT_GE(plan.chunk, 1u);
    }
    for (const Ending ending :
         {Ending::finished, Ending::finished_slowly, Ending::client_reset, Ending::client_closed}) {
      EXPECT_GT(seen[static_cast<size_t>(ending)], 50);
    }
    for (const Ending ending : {Ending::backend_finished, Ending::backend_reset}) {
      EXPECT_EQ(seen[static_cast<size_t>(ending)] > 50, with_backend);
    }
  }
}

}  // namespace
}  // namespace l4lb::load

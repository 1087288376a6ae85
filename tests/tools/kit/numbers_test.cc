// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/numbers.h"

#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

TEST(Grouped, PutsACommaBeforeEveryThreeDigits) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1'000), "1,000");
  EXPECT_EQ(Grouped(123'456), "123,456");
  EXPECT_EQ(Grouped(1'234'567), "1,234,567");
  EXPECT_EQ(Grouped(UINT64_MAX), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace l4lb::kit

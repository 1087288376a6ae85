// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/places.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

TEST(PlacesTest, TakesNoMoreThanTheLimit) {
  Places places(2);
  EXPECT_TRUE(places.TryTake());
  EXPECT_FALSE(places.full());
  EXPECT_TRUE(places.TryTake());
  EXPECT_TRUE(places.full());
  EXPECT_FALSE(places.TryTake());
  EXPECT_EQ(places.used(), 2);
  places.Give();
  EXPECT_TRUE(places.TryTake());
}

TEST(PlacesTest, WithoutALimitNothingIsCounted) {
  Places places(0);
  EXPECT_FALSE(places.limited());
  EXPECT_TRUE(places.TryTake());
  EXPECT_FALSE(places.full());
  places.Give();
  EXPECT_EQ(places.used(), 0);
}

}  // namespace
}  // namespace l4lb

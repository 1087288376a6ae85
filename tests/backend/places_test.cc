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

TEST(PlacesTest, WithoutALimitNobodyIsRefused) {
  Places places(0);
  EXPECT_FALSE(places.limited());
  EXPECT_TRUE(places.TryTake());
  EXPECT_FALSE(places.full());
  EXPECT_EQ(places.used(), 1);
  places.Give();
  EXPECT_EQ(places.used(), 0);
}

TEST(PlacesTest, ALimitMayComeAndGo) {
  Places places(0);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(places.TryTake());
  places.SetLimit(2);
  EXPECT_TRUE(places.full());
  EXPECT_FALSE(places.TryTake());
  places.Give();
  EXPECT_FALSE(places.TryTake()) << "two are taken still";
  places.Give();
  EXPECT_TRUE(places.TryTake());
  places.SetLimit(0);
  EXPECT_TRUE(places.TryTake());
}

}  // namespace
}  // namespace l4lb

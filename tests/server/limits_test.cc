// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/limits.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

TEST(LimitsTest, AsManySessionsAsTheDescriptorsAllow) {
  EXPECT_EQ(ComputeLimits(20000, 1, 1, 0).max_connections, 9980);
  EXPECT_EQ(ComputeLimits(20000, 4, 1, 0).max_connections, 9968);
  EXPECT_EQ(ComputeLimits(64, 1, 1, 0).max_connections, 12);
  EXPECT_FALSE(ComputeLimits(64, 1, 1, 0).clamped);
}

TEST(LimitsTest, AWishIsKeptWhilePossible) {
  EXPECT_EQ(ComputeLimits(20000, 1, 1, 100).max_connections, 100);
  EXPECT_FALSE(ComputeLimits(20000, 1, 1, 100).clamped);
  EXPECT_EQ(ComputeLimits(20000, 1, 1, 9981).max_connections, 9980);
  EXPECT_TRUE(ComputeLimits(20000, 1, 1, 9981).clamped);
}

TEST(LimitsTest, ManyListeningSocketsCountOnEveryWorker) {
  EXPECT_EQ(ComputeLimits(20000, 4, 4, 0).max_connections, 9968);
  EXPECT_EQ(ComputeLimits(20000, 4, 104, 0).max_connections, 9768);
  EXPECT_EQ(ComputeLimits(100, 1, 1, 50).wanted_files, 140);
}

TEST(LimitsTest, WorkersAreTheCoresUnlessSaid) {
  EXPECT_EQ(WorkersFor(3), 3);
  EXPECT_GE(WorkersFor(0), 1);
}

TEST(LimitsTest, TheAdminApiTakesASmallShare) {
  EXPECT_EQ(FdsOfAdmin(20'000), 96);
  EXPECT_EQ(FdsOfAdmin(512), 32);
  EXPECT_EQ(FdsOfAdmin(64), 12);
}

TEST(LimitsTest, AlwaysOne) { EXPECT_EQ(ComputeLimits(16, 1, 1, 0).max_connections, 1); }

}  // namespace
}  // namespace l4lb

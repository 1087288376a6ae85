// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/jump.h"

#include <gtest/gtest.h>

#include "tests/golden/jump_vectors.h"

namespace lookup {
namespace {

TEST(JumpTest, Guava) {
  uint64_t key = 0;
  for (const int32_t bucket : golden::kGuavaOf100Buckets) EXPECT_EQ(JumpHash(key++, 100), bucket);
  for (const auto& [k, buckets, bucket] : golden::kGuava) {
    EXPECT_EQ(JumpHash(k, buckets), bucket) << k;
  }
}

TEST(JumpTest, ClickHouse) {
  for (const auto& [key, buckets, bucket] : golden::kClickHouse) {
    EXPECT_EQ(JumpHash(key, buckets), bucket) << key;
  }
}

TEST(JumpTest, GoJump) {
  for (const golden::GoJumpVector& vector : golden::kGoJump) {
    int32_t buckets = 0;
    for (const int32_t bucket : vector.buckets) {
      EXPECT_EQ(JumpHash(vector.key, ++buckets), bucket) << vector.key << " of " << buckets;
    }
  }
}

}  // namespace
}  // namespace lookup

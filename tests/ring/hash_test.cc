// SPDX-License-Identifier: Apache-2.0
#include "ring/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/golden/xxhash_vectors.h"

namespace ring {
namespace {

std::vector<uint64_t> Points(const Hash& hash, std::string_view key, size_t count,
                             uint64_t seed = 0) {
  std::vector<uint64_t> points(count);
  hash.points(key, seed, absl::MakeSpan(points));
  return points;
}

TEST(HashTest, Xxh3) {
  for (const golden::XxhText& vector : golden::kXxhTexts) {
    for (const uint64_t seed : {0, 1}) {
      EXPECT_EQ(kXxh3.hash(vector.text, seed), vector.xxh3[seed]) << vector.text;
    }
  }
  const std::vector<uint64_t> points = Points(kXxh3, "cache-1", 1001, 5);
  for (const size_t i : {0, 9, 10, 999, 1000}) {
    EXPECT_EQ(points[i], kXxh3.hash("cache-1#" + std::to_string(i), 5));
  }
}

// The test suite of the authors: isthe.com/chongo/src/fnv/test_fnv.c.
TEST(HashTest, Fnv1a32) {
  EXPECT_EQ(kFnv1a32.hash("", 0), 0x811c9dc5u);
  EXPECT_EQ(kFnv1a32.hash("a", 0), 0xe40c292cu);
  EXPECT_EQ(kFnv1a32.hash("foobar", 0), 0xbf9cf968u);
  EXPECT_EQ(Points(kFnv1a32, "foo", 13)[12], kFnv1a32.hash("foo#12", 0));
}

TEST(HashTest, MorePointsBeginWithTheSame) {
  for (const Hash& hash : {kXxh3, kKetama, kFnv1a32}) {
    std::vector<uint64_t> more = Points(hash, "node", 101);
    more.resize(7);
    EXPECT_EQ(more, Points(hash, "node", 7));
    for (const uint64_t point : more) EXPECT_LE(point, UINT64_MAX >> (64 - hash.bits));
  }
}

}  // namespace
}  // namespace ring

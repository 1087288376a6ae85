// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/lookup/ring_layouts.h"

#include <gtest/gtest.h>

#include <string>

namespace lookup {
namespace {

TEST(RingLayoutsTest, AllFindTheSame) {
  for (uint32_t points = 1; points < 40; ++points) {
    const ring::Ring ring = *ring::Ring::Build({{"a", 1}, {"b", 1}, {"c", 1}}, {.points = points});
    const EytzingerRing eytzinger(ring);
    const SortedRing sorted(ring);
    std::vector<uint64_t> hashes = {0, UINT64_MAX};
    for (size_t i = 0; i < ring.points(); ++i) {
      hashes.insert(hashes.end(), {ring.point(i) - 1, ring.point(i), ring.point(i) + 1});
    }
    for (const uint64_t hash : hashes) {
      ASSERT_EQ(eytzinger.Lookup(hash), ring.Lookup(hash)) << points << " points, " << hash;
      ASSERT_EQ(sorted.Lookup(hash), ring.Lookup(hash)) << points << " points, " << hash;
    }
  }
}

}  // namespace
}  // namespace lookup

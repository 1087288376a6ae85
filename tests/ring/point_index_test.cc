// SPDX-License-Identifier: Apache-2.0
#include "ring/point_index.h"

#include <gtest/gtest.h>

#include "tests/support/dice.h"

namespace ring {
namespace {

constexpr uint64_t kSeed = 61;

// Positions as a good hash makes them, crowded in a few places, or with many equal ones.
std::vector<Point> AnyPoints(l4lb::Dice& dice) {
  std::vector<Point> points(dice.Below(200) + 1);
  const uint64_t kind = dice.Below(4);
  for (Point& point : points) {
    const uint64_t any = dice.Below(UINT64_MAX);
    point.position = kind == 0   ? any
                     : kind == 1 ? any >> 50
                     : kind == 2 ? UINT64_MAX - (any >> 60)
                                 : any & 0xc000000000000003;
    point.node = static_cast<uint16_t>(dice.Below(5));
  }
  return points;
}

// By the definition, over sorted points.
size_t Plainly(const std::vector<Point>& sorted, uint64_t position) {
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].position >= position) return i;
  }
  return 0;
}

TEST(PointIndexTest, FindsWhatAScanFinds) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1000; ++i) {
    std::vector<Point> points = AnyPoints(dice);
    const PointIndex index(points);
    std::sort(points.begin(), points.end());
    ASSERT_EQ(index.size(), points.size());
    std::vector<uint64_t> positions = {0, 1, UINT64_MAX, dice.Below(UINT64_MAX)};
    for (int j = 0; j < 10; ++j) {
      const uint64_t position = points[dice.Below(points.size())].position;
      positions.insert(positions.end(), {position - 1, position, position + 1});
    }
    for (const uint64_t position : positions) {
      ASSERT_EQ(index.Find(position), Plainly(points, position))
          << "seed " << kSeed << ", case " << i << ", position " << position;
    }
    for (size_t j = 0; j < points.size(); ++j) {
      ASSERT_EQ(index.position(j), points[j].position);
      ASSERT_EQ(index.node(j), points[j].node);
      ASSERT_EQ(index.Next(j), (j + 1) % points.size());
    }
  }
}

}  // namespace
}  // namespace ring

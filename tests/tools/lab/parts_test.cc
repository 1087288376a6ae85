// SPDX-License-Identifier: Apache-2.0
//
// The parts that a simulation is made of.
#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/dice.h"
#include "tools/lab/departures.h"
#include "tools/lab/fifo.h"
#include "tools/lab/occupancy.h"

namespace l4lb::lab {
namespace {

TEST(DeparturesTest, FindsTheFirstLikeASearch) {
  for (const int backends : {1, 2, 3, 7, 64, 100}) {
    Dice dice(static_cast<uint64_t>(backends));
    Departures departures(backends);
    std::vector<int64_t> times(static_cast<size_t>(backends), Departures::kNever);
    EXPECT_EQ(departures.first_ns(), Departures::kNever);
    for (int i = 0; i < 1'000; ++i) {
      const auto backend = dice.Below(static_cast<uint64_t>(backends));
      times[backend] = dice.Chance(0.2) ? Departures::kNever : dice.Between(0, 50);
      departures.Set(static_cast<int>(backend), times[backend]);
      const auto first = std::min_element(times.begin(), times.end());
      ASSERT_EQ(departures.first_ns(), *first);
      ASSERT_EQ(departures.first(), first - times.begin());
    }
  }
}

struct Item {
  int value = 0;
  int next = kNobody;
};

TEST(FifoTest, KeepsTheOrderAndUsesNumbersAgain) {
  Items<Item> items;
  Fifo fifo;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) items.Append(&fifo, items.Add({.value = i}));
    EXPECT_EQ(fifo.size, 10);
    for (int i = 0; i < 10; ++i) {
      const int number = items.Pop(&fifo);
      EXPECT_EQ(items[number].value, i);
      items.Remove(number);
    }
    EXPECT_TRUE(fifo.empty());
  }
  EXPECT_EQ(items.most(), 10u);
}

TEST(OccupancyTest, MeansAreOverTime) {
  Occupancy occupancy;
  occupancy.Enter(1, 0);
  occupancy.Restart(100);  // One backend has one request.
  occupancy.Enter(2, 150);
  occupancy.Leave(2, 175);
  const std::vector<double> means = occupancy.Means(200);
  EXPECT_DOUBLE_EQ(means[1], 1);
  EXPECT_DOUBLE_EQ(means[2], 0.25);
}

}  // namespace
}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/active_table.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

TEST(ActiveTableTest, SlotsCountUpOverBlocks) {
  ActiveTable table;
  for (int slot = 0; slot < 3 * ActiveTable::kBlock; ++slot) EXPECT_EQ(table.Add(1), slot);
  const int last = 3 * ActiveTable::kBlock - 1;
  EXPECT_TRUE(table.TryAcquire(last));
  EXPECT_EQ(table.active(last), 1);
  EXPECT_EQ(table.active(0), 0);
}

TEST(ActiveTableTest, TakesNoMoreThanTheLimit) {
  ActiveTable table;
  const int slot = table.Add(2);
  EXPECT_FALSE(table.full(slot));
  EXPECT_TRUE(table.TryAcquire(slot));
  EXPECT_TRUE(table.TryAcquire(slot));
  EXPECT_TRUE(table.full(slot));
  EXPECT_FALSE(table.over_full(slot));
  EXPECT_FALSE(table.TryAcquire(slot));
  table.Release(slot);
  EXPECT_TRUE(table.TryAcquire(slot));
}

TEST(ActiveTableTest, LimitZeroTakesNobody) {
  ActiveTable table;
  EXPECT_FALSE(table.TryAcquire(table.Add(0)));
}

TEST(ActiveTableTest, EveryChangeShowsInItsBlockOnly) {
  ActiveTable table;
  for (int slot = 0; slot < 2 * ActiveTable::kBlock; ++slot) table.Add(ActiveTable::kNoLimit);
  table.TryAcquire(ActiveTable::kBlock);
  EXPECT_EQ(table.changes()[0], 0u);
  EXPECT_EQ(table.changes()[1], 1u);
  table.Release(ActiveTable::kBlock);
  EXPECT_EQ(table.changes()[1], 2u);
}

}  // namespace
}  // namespace l4lb

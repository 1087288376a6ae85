// SPDX-License-Identifier: Apache-2.0
#include "maglev/slots.h"

#include <gtest/gtest.h>

namespace maglev {
namespace {

TEST(SlotsTest, OneTwoOrFourBytesEach) {
  constexpr uint32_t kSize = 1009;
  for (const auto& [nodes, width] : {std::pair<size_t, size_t>{1, 1},
                                     {256, 1},
                                     {257, 2},
                                     {65536, 2},
                                     {65537, 4},
                                     {1u << 31, 4}}) {
    Slots slots(kSize, nodes);
    const auto node_of = [&, count = nodes](uint32_t slot) {
      return static_cast<uint32_t>(count - 1 - slot % count);
    };
    for (uint32_t slot = 0; slot < kSize; ++slot) slots.SetOwner(slot, node_of(slot));
    for (uint32_t slot = 0; slot < kSize; ++slot) ASSERT_EQ(slots.owner(slot), node_of(slot));
    EXPECT_EQ(slots.bytes().size(), kSize * width);
  }
}

TEST(SlotsTest, BytesAreLowestFirst) {
  Slots slots(2, 257);
  slots.SetOwner(0, 0x102);
  slots.SetOwner(1, 0x003);
  EXPECT_EQ(slots.bytes(), std::string_view("\x02\x01\x03\x00", 4));
}

}  // namespace
}  // namespace maglev

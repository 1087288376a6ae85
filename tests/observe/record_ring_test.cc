// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/record_ring.h"

#include <gtest/gtest.h>

#include <thread>

namespace l4lb {
namespace {

SessionRecord WithId(uint64_t id) {
  SessionRecord record;
  record.id = id;
  record.client_bytes = ~id;
  return record;
}

TEST(RecordRingTest, RefusesWhenFullAndKeepsTheOrder) {
  RecordRing ring(3);  // Becomes 4.
  EXPECT_EQ(ring.Front(), nullptr);
  for (uint64_t id = 0; id < 4; ++id) EXPECT_TRUE(ring.Push(WithId(id)));
  EXPECT_FALSE(ring.Push(WithId(4)));
  EXPECT_EQ(ring.pushed(), 4u);
  ring.Pop();
  EXPECT_TRUE(ring.Push(WithId(5)));
  for (uint64_t id : {1, 2, 3, 5}) {
    ASSERT_NE(ring.Front(), nullptr);
    EXPECT_EQ(ring.Front()->id, id);
    ring.Pop();
  }
  EXPECT_EQ(ring.Front(), nullptr);
}

TEST(RecordRingTest, TwoThreads) {
  constexpr uint64_t kRecords = 20'000;
  RecordRing ring(64);
  std::thread producer([&ring] {
    for (uint64_t id = 0; id < kRecords;) {
      if (ring.Push(WithId(id))) {
        ++id;
      } else {
        std::this_thread::yield();
      }
    }
  });
  uint64_t wrong = 0;
  for (uint64_t id = 0; id < kRecords;) {
    const SessionRecord* record = ring.Front();
    if (record == nullptr) {
      std::this_thread::yield();
      continue;
    }
    if (record->id != id || record->client_bytes != ~id) ++wrong;
    ring.Pop();
    ++id;
  }
  producer.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(ring.Front(), nullptr);
}

}  // namespace
}  // namespace l4lb

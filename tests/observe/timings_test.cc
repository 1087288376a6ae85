// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/timings.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "sample_record.h"

namespace l4lb {
namespace {

template <class Bounds>
void ExpectAscending(const Bounds& bounds) {
  for (size_t i = 1; i < bounds.size(); ++i) EXPECT_LT(bounds[i - 1], bounds[i]);
}

TEST(TimingsTest, BoundsAscend) {
  ExpectAscending(kWaitBoundsMs);
  ExpectAscending(kDurationBoundsMs);
  ExpectAscending(kByteBounds);
  EXPECT_EQ(kByteBounds.back(), uint64_t{1} << 30);
}

TEST(TimingsTest, ABucketIncludesItsUpperBound) {
  BucketCounters<kWaitBoundsMs> counters;
  for (const uint64_t value : {0, 1, 2, 3, 5, 60'000, 60'001}) counters.Observe(value);
  BucketSums<kWaitBoundsMs> sums;
  sums.Add(counters);
  EXPECT_EQ(sums.counts[0], 2U);  // 0 and 1.
  EXPECT_EQ(sums.counts[1], 1U);  // 2.
  EXPECT_EQ(sums.counts[2], 2U);  // 3 and 5.
  EXPECT_EQ(sums.counts[kWaitBoundsMs.size() - 1], 1U);
  EXPECT_EQ(sums.counts[kWaitBoundsMs.size()], 1U);
  EXPECT_EQ(sums.count(), 7U);
  EXPECT_EQ(sums.sum, 120'012U);
}

PoolTimings Observed(const SessionRecord& record) {
  PoolTimingCounters counters;
  counters.Observe(record);
  PoolTimings timings;
  timings.Add(counters);
  return timings;
}

TEST(TimingsTest, ASessionThatWentWellIsInWhatItDid) {
  SessionRecord record = SampleRecord();
  record.connect_ms = 3;
  record.first_byte_ms = 5;
  const PoolTimings timings = Observed(record);
  EXPECT_EQ(timings.queue.count(), 0U);  // It did not wait.
  EXPECT_EQ(timings.connect.count(), 1U);
  EXPECT_EQ(timings.connect.sum, 3U);
  EXPECT_EQ(timings.first_byte.sum, 5U);
}

TEST(TimingsTest, TheWaitForAPlaceIsNoTimeToConnect) {
  SessionRecord record = SampleRecord();
  record.queue_ms = 1000;
  record.connect_ms = 1003;
  PoolTimings timings = Observed(record);
  EXPECT_EQ(timings.queue.sum, 1000U);
  EXPECT_EQ(timings.connect.sum, 3U);

  record.connect_ms = 999;  // Two readings of a coarse clock.
  timings = Observed(record);
  EXPECT_EQ(timings.connect.count(), 1U);
  EXPECT_EQ(timings.connect.sum, 0U);
}

TEST(TimingsTest, ASessionThatNeverConnectedIsNotSeenAsFast) {
  SessionRecord record = SampleRecord();
  record.queue_ms = 5000;
  record.connect_ms = -1;
  record.first_byte_ms = -1;
  record.reason = CloseReason::queue_timeout;
  const PoolTimings timings = Observed(record);
  EXPECT_EQ(timings.queue.sum, 5000U);
  EXPECT_EQ(timings.connect.count(), 0U);
  EXPECT_EQ(timings.first_byte.count(), 0U);
}

TEST(TimingsTest, AListenerSeesEverySession) {
  ListenerTimingCounters counters;
  counters.Observe(SampleRecord());
  SessionRecord refused;
  refused.reason = CloseReason::limit;
  counters.Observe(refused);
  ListenerTimings timings;
  timings.Add(counters);
  EXPECT_EQ(timings.duration.count(), 2U);
  EXPECT_EQ(timings.duration.sum, 1200U);
  EXPECT_EQ(timings.client_bytes.count(), 2U);
  EXPECT_EQ(timings.client_bytes.sum, 77U);
  EXPECT_EQ(timings.backend_bytes.counts.back(), 1U);
  EXPECT_EQ(timings.backend_bytes.sum, uint64_t{1} << 40);
}

// Workers write while somebody reads: nothing is lost, and no reading goes back.
TEST(TimingsTest, ReadWhileWorkersWrite) {
  constexpr uint64_t kSessions = 20'000;
  std::array<ListenerTimingCounters, 2> blocks;
  std::vector<std::thread> workers;
  for (ListenerTimingCounters& block : blocks) {
    workers.emplace_back([&block] {
      for (uint64_t i = 0; i < kSessions; ++i) block.Observe(SampleRecord(i));
    });
  }
  uint64_t last = 0;
  while (last < 2 * kSessions) {
    ListenerTimings timings;
    for (const ListenerTimingCounters& block : blocks) timings.Add(block);
    ASSERT_GE(timings.duration.count(), last);
    last = timings.duration.count();
  }
  for (std::thread& worker : workers) worker.join();
  ListenerTimings timings;
  for (const ListenerTimingCounters& block : blocks) timings.Add(block);
  EXPECT_EQ(timings.client_bytes.sum, 2 * kSessions * 77);
}

}  // namespace
}  // namespace l4lb

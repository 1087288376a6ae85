// SPDX-License-Identifier: Apache-2.0
#include "ring/shared_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/ring/rings.h"

namespace ring {
namespace {

TEST(SharedRingTest, Errors) {
  SharedRing ring;
  EXPECT_EQ(ring.Lookup("key").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ring.Replicas("key", 2).status().message(), "the ring is empty");
  EXPECT_EQ(ring.Snapshot(), std::nullopt);
  EXPECT_EQ(ring.Remove("a\n").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ring.Remove("a\n").message(), "\"a\\n\" is not on the ring");
  EXPECT_EQ(ring.Add({"a", 0}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ring.Add({"a", 1}).ok());
  EXPECT_EQ(ring.Add({"a", 2}).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ring.Add({"b", 1000000}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*ring.Lookup("key"), "a");
  EXPECT_TRUE(ring.Remove("a").ok());
  EXPECT_FALSE(ring.Lookup("key").ok());
}

TEST(SharedRingTest, IsTheRingOfItsNodes) {
  const std::vector<Node> nodes = Named({2, 1, 3});
  SharedRing shared({.points = 40});
  for (const size_t i : {2, 0, 1}) ASSERT_TRUE(shared.Add(nodes[i]).ok());
  const Ring ring = *Ring::Build(nodes, {.points = 40});
  EXPECT_EQ(shared.Snapshot()->Checksum(), ring.Checksum());
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    EXPECT_EQ(*shared.Lookup(key), ring.key(ring.Lookup(key)));
    EXPECT_EQ(shared.Replicas(key, 99)->size(), 3u);
    EXPECT_EQ(shared.Replicas(key, 2)->front(), *shared.Lookup(key));
  }
  EXPECT_EQ(shared.Read([](const Ring* now) { return now->nodes(); }), 3u);
}

// One thread changes the ring, others look up: every answer is that of one of the two rings that
// alternate, and within one visit it is always the same one.
TEST(SharedRingTest, ReadersSeeOneRingOrTheOther) {
  SharedRing shared({.points = 16});
  ASSERT_TRUE(shared.Add({"stays", 1}).ok());
  const std::string key = "key";
  const uint64_t alone = shared.Snapshot()->Checksum();
  ASSERT_TRUE(shared.Add({"comes and goes", 1}).ok());
  const uint64_t both = shared.Snapshot()->Checksum();
  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  const auto read = [&] {
    while (!stop) {
      const bool good = shared.Read([&](const Ring* ring) {
        const uint64_t checksum = ring->Checksum();
        return (checksum == alone || checksum == both) && ring->Checksum() == checksum &&
               ring->Lookup(key) < ring->nodes();
      });
      EXPECT_TRUE(good);
      EXPECT_TRUE(shared.Lookup(key).ok());
      EXPECT_LE(shared.Replicas(key, 2)->size(), 2u);
      ++reads;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back(read);
  for (int i = 0; i < 50 || reads < 50; ++i) {
    ASSERT_TRUE(shared.Remove("comes and goes").ok());
    ASSERT_TRUE(shared.Add({"comes and goes", 1}).ok());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

// Writers race: of those who add the same node one wins each time.
TEST(SharedRingTest, WritersTakeTurns) {
  SharedRing shared({.points = 4});
  std::atomic<int> added = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&, own = "own-" + std::to_string(i)] {
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(shared.Add({own, 1}).ok());
        if (shared.Add({"common", 1}).ok()) {
          ++added;
          EXPECT_TRUE(shared.Remove("common").ok());
        }
        EXPECT_TRUE(shared.Remove(own).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(added, 0);
  EXPECT_EQ(shared.Snapshot(), std::nullopt);
}

}  // namespace
}  // namespace ring

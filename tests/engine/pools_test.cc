// SPDX-License-Identifier: Apache-2.0
//
// The pools of buffers and pipes: their bounds, and what may go back.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "l4lb/engine/buffer_pool.h"
#include "l4lb/engine/pipe_pool.h"

namespace l4lb {
namespace {

constexpr int kManyFds = 1 << 20;

bool IsOpen(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(BufferPoolTest, LastInFirstOutAndBounded) {
  BufferPool pool(4096, 2);
  char* a = pool.Take();
  char* b = pool.Take();
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(pool.Take(), nullptr);
  EXPECT_EQ(pool.in_use(), 2u);
  pool.Give(b);
  EXPECT_EQ(pool.Take(), b) << "the hot one";
  pool.Give(a);
  pool.Give(b);
  EXPECT_EQ(pool.in_use(), 0u);
}

TEST(PipePoolTest, EmptyPipesComeBackOthersAreClosed) {
  PipePool pool(8, kManyFds);
  Pipe* first = pool.Take();
  ASSERT_NE(first, nullptr);
  EXPECT_GE(::fcntl(first->read_end.get(), F_GETPIPE_SZ), PipePool::kSmallestSize);
  pool.Give(first);
  Pipe* again = pool.Take();
  EXPECT_EQ(again, first);

  const int read_end = again->read_end.get();
  ASSERT_EQ(::write(again->write_end.get(), "x", 1), 1);
  again->held = 1;
  pool.Give(again);
  EXPECT_FALSE(IsOpen(read_end)) << "its byte would turn up in another session";
  EXPECT_EQ(pool.open(), 0u);
}

TEST(PipePoolTest, BoundedAndCacheBounded) {
  PipePool pool(PipePool::kCached + 3, kManyFds);
  std::vector<Pipe*> taken;
  while (Pipe* pipe = pool.Take()) taken.push_back(pipe);
  EXPECT_EQ(taken.size(), PipePool::kCached + 3);
  EXPECT_EQ(pool.in_use(), taken.size());
  for (Pipe* pipe : taken) pool.Give(pipe);
  EXPECT_EQ(pool.open(), PipePool::kCached);
  EXPECT_TRUE(pool.Shrink());
  EXPECT_EQ(pool.open(), 0u);
  EXPECT_FALSE(pool.Shrink());
}

TEST(PipePoolTest, LeavesTheLastDescriptorsToOthers) {
  UniqueFd probe(::dup(0));  // The lowest free number.
  const int lowest = probe.get();
  probe.Reset();
  PipePool pool(8, lowest + PipePool::kReservedFds + 2);
  Pipe* fits = pool.Take();
  EXPECT_NE(fits, nullptr);
  EXPECT_EQ(pool.Take(), nullptr);
  if (fits != nullptr) pool.Give(fits);
}

}  // namespace
}  // namespace l4lb

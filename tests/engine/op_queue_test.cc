// SPDX-License-Identifier: Apache-2.0
#include "l4lb/engine/op_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace l4lb {
namespace {

class OpQueueTest : public ::testing::Test {
 protected:
  std::vector<int> PopAll() {
    std::vector<int> order;
    while (!queue_.empty()) order.push_back(static_cast<WatchOp&>(queue_.Pop()).fd);
    return order;
  }
  void SetUp() override {
    for (int i = 0; i < 4; ++i) ops_[i].fd = i;
  }

  std::array<WatchOp, 4> ops_;
  OpQueue queue_;
};

TEST_F(OpQueueTest, FirstInFirstOut) {
  for (WatchOp& op : ops_) queue_.Push(op);
  EXPECT_EQ(PopAll(), (std::vector<int>{0, 1, 2, 3}));
  queue_.Push(ops_[2]);
  EXPECT_EQ(PopAll(), (std::vector<int>{2}));
}

TEST_F(OpQueueTest, RemoveFromFrontMiddleAndBackKeepsTheOrder) {
  for (WatchOp& op : ops_) queue_.Push(op);
  queue_.Remove(ops_[3]);
  queue_.Remove(ops_[0]);
  queue_.Remove(ops_[0]);  // Not there: no effect.
  queue_.Push(ops_[3]);
  queue_.Remove(ops_[2]);
  EXPECT_EQ(PopAll(), (std::vector<int>{1, 3}));
}

TEST_F(OpQueueTest, AppendMovesAllBehind) {
  OpQueue other;
  queue_.Push(ops_[0]);
  other.Push(ops_[1]);
  other.Push(ops_[2]);
  queue_.Append(other);
  EXPECT_TRUE(other.empty());
  queue_.Append(other);
  other.Push(ops_[3]);
  queue_.Append(other);
  EXPECT_EQ(PopAll(), (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/wait_list.h"

#include <gtest/gtest.h>

#include <vector>

#include "l4lb/backend/pool.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

class WaitListTest : public ::testing::Test {
 protected:
  Pool pool_{"pool", {}};
  std::shared_ptr<Backend> a_ = pool_.Add("a", Parsed("127.0.0.1:1"), {});
  std::shared_ptr<Backend> b_ = pool_.Add("b", Parsed("127.0.0.1:2"), {});
  WaitList list_;
  WaitOp first_, second_, third_;
};

TEST_F(WaitListTest, FirstComeFirstServed) {
  EXPECT_EQ(list_.FirstFor(*a_), nullptr);
  for (WaitOp* wait : {&first_, &second_, &third_}) list_.PushBack(*wait);
  EXPECT_EQ(list_.FirstFor(*a_), &first_);
  list_.Remove(first_);
  EXPECT_FALSE(first_.queued);
  EXPECT_EQ(list_.FirstFor(*a_), &second_);
}

TEST_F(WaitListTest, LeavesFromTheMiddleAndTheEnds) {
  for (WaitOp* wait : {&first_, &second_, &third_}) list_.PushBack(*wait);
  list_.Remove(second_);
  list_.Remove(third_);
  list_.PushBack(second_);
  list_.Remove(first_);
  EXPECT_EQ(list_.FirstFor(*a_), &second_);
  list_.Remove(second_);
  EXPECT_EQ(list_.FirstFor(*a_), nullptr);
}

TEST_F(WaitListTest, WhoTriedABackendIsPassedOver) {
  const std::vector<Backend*> tried = {a_.get()};
  first_.tried = tried;
  list_.PushBack(first_);
  list_.PushBack(second_);
  EXPECT_EQ(list_.FirstFor(*a_), &second_);
  EXPECT_EQ(list_.FirstFor(*b_), &first_);
}

TEST_F(WaitListTest, WhoWaitsForOneTakesNoOther) {
  first_.only = b_.get();
  list_.PushBack(first_);
  EXPECT_EQ(list_.FirstFor(*a_), nullptr);
  EXPECT_EQ(list_.FirstFor(*b_), &first_);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The buffers that receives of io_uring bring along: their bound, and who has which.
#include "l4lb/engine/uring_buffers.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "l4lb/engine/uring_ring.h"
#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

constexpr size_t kBytes = 4096;

class UringBuffersTest : public ::testing::Test {
 protected:
  static constexpr size_t kBound = 4;

  struct Received {
    int result;
    uint32_t flags;
  };

  void SetUp() override {
    auto ring = UringRing::Open();
    if (!ring.ok()) GTEST_SKIP() << ring.status();
    ring_ = *std::move(ring);
    ASSERT_EQ(buffers_.Register(ring_->raw()), 0);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    ours_.Reset(ends[0]);
    theirs_.Reset(ends[1]);
  }
  Received Receive(const std::string& sent) {
    EXPECT_EQ(::send(theirs_.get(), sent.data(), sent.size(), 0),
              static_cast<ssize_t>(sent.size()));
    return ReceiveAgain();
  }
  Received ReceiveAgain() {
    io_uring_sqe& sqe = ring_->Add(IORING_OP_RECV, ours_.get(), 8);
    sqe.flags = IOSQE_BUFFER_SELECT;
    sqe.buf_group = UringBuffers::kGroup;
    std::optional<Received> received;
    ring_->Enter(/*wait_ms=*/-1);
    ring_->Drain([&received](uint64_t, int result, uint32_t flags) {
      received = Received{.result = result, .flags = flags};
    });
    return received.value();
  }
  // Until the kernel has none.
  std::vector<uint16_t> ReceiveUntilNone() {
    std::vector<uint16_t> held;
    for (;;) {
      const Received received = Receive("x");
      if (received.result == -ENOBUFS) return held;
      held.push_back(buffers_.Claim(received.flags));
    }
  }

  UringBuffers buffers_{kBytes, kBound};
  std::unique_ptr<UringRing> ring_;
  UniqueFd ours_;
  UniqueFd theirs_;
};

TEST_F(UringBuffersTest, AReceiveBringsOneAlong) {
  const Received received = Receive("hello");
  ASSERT_EQ(received.result, 5);
  const uint16_t id = buffers_.Claim(received.flags);
  EXPECT_EQ(std::string(buffers_.At(id), 5), "hello");
  EXPECT_EQ(buffers_.in_use(), 1u);
  buffers_.Give(id);
  EXPECT_EQ(buffers_.in_use(), 0u);
}

TEST_F(UringBuffersTest, MoreArePublishedUpToTheBound) {
  std::vector<uint16_t> held = ReceiveUntilNone();
  EXPECT_LT(held.size(), kBound) << "some are kept back for those that take one themselves";
  while (buffers_.PublishMore()) {
    for (const uint16_t id : ReceiveUntilNone()) held.push_back(id);
  }
  EXPECT_EQ(held.size(), kBound);
  EXPECT_EQ(buffers_.in_use(), kBound);
  EXPECT_EQ(buffers_.Take(), -1);
  buffers_.Give(held.back());
  EXPECT_GT(ReceiveAgain().result, 0) << "what is given back can be had again";
}

TEST_F(UringBuffersTest, WhatIsTakenIsNotPublished) {
  std::vector<int> taken;
  for (int id = buffers_.Take(); id >= 0; id = buffers_.Take()) taken.push_back(id);
  EXPECT_FALSE(taken.empty());
  for (const uint16_t id : ReceiveUntilNone()) {
    for (const int other : taken) EXPECT_NE(id, other);
    buffers_.Give(id);
  }
  for (const int id : taken) buffers_.Give(static_cast<uint16_t>(id));
  EXPECT_EQ(buffers_.in_use(), 0u);
}

}  // namespace
}  // namespace l4lb

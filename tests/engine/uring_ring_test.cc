// SPDX-License-Identifier: Apache-2.0
//
// The ring alone: no request and no completion is lost, however many there are at once.
#include "l4lb/engine/uring_ring.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <vector>

#include "l4lb/net/unique_fd.h"

namespace l4lb {
namespace {

class UringRingTest : public ::testing::Test {
 protected:
  struct Completion {
    uint64_t user_data;
    int result;
    uint32_t flags;
  };

  void SetUp() override {
    auto ring = UringRing::Open();
    if (!ring.ok()) GTEST_SKIP() << ring.status();
    ring_ = *std::move(ring);
  }
  std::vector<Completion> Turn(int64_t wait_ms) {
    std::vector<Completion> completions;
    ring_->Enter(wait_ms);
    ring_->Drain([&completions](uint64_t user_data, int result, uint32_t flags) {
      completions.push_back({user_data, result, flags});
    });
    return completions;
  }

  std::unique_ptr<UringRing> ring_;
};

// Several times what fits into either queue, before anybody looks.
TEST_F(UringRingTest, MoreThanFitAreNotLost) {
  constexpr uint64_t kRequests = 20'000;
  std::vector<int> seen(kRequests + 1);
  for (uint64_t i = 1; i <= kRequests; ++i) ring_->Add(IORING_OP_NOP, -1, i);
  uint64_t count = 0;
  for (int turn = 0; turn < 1000 && count < kRequests; ++turn) {
    for (const Completion& completion : Turn(/*wait_ms=*/100)) {
      EXPECT_EQ(completion.result, 0);
      ++seen[completion.user_data];
      ++count;
    }
  }
  EXPECT_EQ(count, kRequests);
  for (uint64_t i = 1; i <= kRequests; ++i) ASSERT_EQ(seen[i], 1) << i;
}

TEST_F(UringRingTest, WaitEndsWithItsTimeOrACompletion) {
  EXPECT_TRUE(Turn(/*wait_ms=*/1).empty());
  EXPECT_TRUE(Turn(/*wait_ms=*/0).empty());
  ring_->Add(IORING_OP_NOP, -1, 7);
  const std::vector<Completion> completions = Turn(/*wait_ms=*/-1);
  ASSERT_EQ(completions.size(), 1u);
  EXPECT_EQ(completions[0].user_data, 7u);
}

TEST_F(UringRingTest, MultishotPollTellsOfEachEventAndIsCancelled) {
  const UniqueFd event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  ring_->AddMultishotPoll(event.get(), POLLIN, 8);
  EXPECT_TRUE(Turn(/*wait_ms=*/0).empty());
  const uint64_t one = 1;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(::write(event.get(), &one, sizeof one), 8);
    const std::vector<Completion> completions = Turn(/*wait_ms=*/-1);
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(completions[0].result, POLLIN);
    EXPECT_NE(completions[0].flags & IORING_CQE_F_MORE, 0u);
  }
  ring_->Cancel(8);
  const std::vector<Completion> completions = Turn(/*wait_ms=*/-1);
  ASSERT_EQ(completions.size(), 1u) << "the cancellation itself is silent";
  EXPECT_EQ(completions[0].result, -ECANCELED);
  EXPECT_EQ(completions[0].flags & IORING_CQE_F_MORE, 0u);
}

TEST_F(UringRingTest, CancelOfWhatIsOverTellsNobody) {
  ring_->Cancel(8);
  for (const Completion& completion : Turn(/*wait_ms=*/1)) {
    EXPECT_EQ(completion.user_data, UringRing::kIgnored);
  }
}

}  // namespace
}  // namespace l4lb

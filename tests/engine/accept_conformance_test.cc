// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include <memory>
#include <vector>

#include "tests/engine/conformance.h"

namespace l4lb {
namespace {

class AcceptTest : public EngineTest {
 protected:
  void Dial(int count) {
    for (int i = 0; i < count; ++i) peers_.push_back(far_ends().Dial(listener().address));
  }
  const NearListener& listener() {
    if (listener_.fd < 0) listener_ = ListenNear();
    return listener_;
  }
  bool RunUntilAccepted(const TrackedAccept& op, size_t count) {
    return RunUntil([&op, count] { return op.fds.size() == count; });
  }
  // None of the connections was closed by somebody.
  void ExpectAllAlive() {
    Turns(3);
    for (const auto& peer : peers_) {
      EXPECT_EQ(peer->Receive(), "");
      EXPECT_EQ(peer->end(), Peer::End::kOpen);
    }
  }

  std::vector<std::unique_ptr<Peer>> peers_;

 private:
  NearListener listener_;
};

TEST_P(AcceptTest, AcceptsUntilCancelled) {
  TrackedAccept& op = NewAccept(listener().fd);
  Start(op);
  Dial(3);
  ASSERT_TRUE(RunUntilAccepted(op, 3));
  Dial(2);
  ASSERT_TRUE(RunUntilAccepted(op, 5));
  EXPECT_EQ(op.ends, 0);
  Cancel(op);
  ASSERT_TRUE(RunUntilEnded(op));
  EXPECT_EQ(op.error, ECANCELED);
  ExpectAllAlive();
}

TEST_P(AcceptTest, TellsTheAddressOfThePeer) {
  TrackedAccept& op = NewAccept(listener().fd);
  Start(op);
  Dial(1);
  ASSERT_TRUE(RunUntilAccepted(op, 1));
  EXPECT_EQ(op.peers[0].ToString(), peers_[0]->address().ToString());
}

TEST_P(AcceptTest, ThoseThatWaitedAreAccepted) {
  Dial(300);
  TrackedAccept& op = NewAccept(listener().fd);
  Start(op);
  ASSERT_TRUE(RunUntilAccepted(op, 300));
  ExpectAllAlive();
}

TEST_P(AcceptTest, AcceptedFdsAreUsable) {
  TrackedAccept& op = NewAccept(listener().fd);
  Start(op);
  Dial(1);
  ASSERT_TRUE(RunUntilAccepted(op, 1));
  peers_[0]->Send("question");
  TrackedRead& read = NewRead(op.fds[0], 100);
  Start(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, 0);
  EXPECT_EQ(read.data[0], 'q');
}

// Whatever is accepted between Cancel() and done() is the callee's; the others go on waiting.
TEST_P(AcceptTest, CancelLosesNobody) {
  Dial(100);
  TrackedAccept& first = NewAccept(listener().fd);
  Start(first);
  Cancel(first);
  ASSERT_TRUE(RunUntilEnded(first));
  EXPECT_EQ(first.error, ECANCELED);
  TrackedAccept& second = NewAccept(listener().fd);
  Start(second);
  ASSERT_TRUE(RunUntil([&] { return first.fds.size() + second.fds.size() == 100; }));
  ExpectAllAlive();
}

TEST_P(AcceptTest, CancelFromInsideAccepted) {
  Dial(100);
  TrackedAccept& op = NewAccept(listener().fd);
  op.on_accepted = [&] { Cancel(op); };
  Start(op);
  ASSERT_TRUE(RunUntilEnded(op));
  EXPECT_EQ(op.error, ECANCELED);
  EXPECT_GE(op.fds.size(), 1u);
  TrackedAccept& second = NewAccept(listener().fd);
  Start(second);
  ASSERT_TRUE(RunUntil([&] { return op.fds.size() + second.fds.size() == 100; }));
  ExpectAllAlive();
}

TEST_P(AcceptTest, CancelTwiceAndAgainWhenIdle) {
  TrackedAccept& op = NewAccept(listener().fd);
  Cancel(op);
  Start(op);
  Turns(2);
  Cancel(op);
  Cancel(op);
  ASSERT_TRUE(RunUntilEnded(op));
  Cancel(op);
  Turns(3);
  EXPECT_EQ(op.ends, 1);
}

TEST_P(AcceptTest, CancelCanEmptyTheBacklog) {
  Dial(100);
  TrackedAccept& op = NewAccept(listener().fd);
  op.empty_backlog = true;
  Start(op);
  Cancel(op);
  ASSERT_TRUE(RunUntilEnded(op));
  EXPECT_EQ(op.error, ECANCELED);
  EXPECT_EQ(op.fds.size(), 100u);
  Close(listener().fd);
  ExpectAllAlive();
}

TEST_P(AcceptTest, RestartFromDone) {
  TrackedAccept& op = NewAccept(listener().fd);
  op.then = [&] {
    if (op.ends == 1) Start(op);
  };
  Start(op);
  Turns(2);
  Cancel(op);
  ASSERT_TRUE(RunUntil([&] { return op.ends == 1; }));
  EXPECT_TRUE(op.in_flight);
  Dial(2);
  ASSERT_TRUE(RunUntilAccepted(op, 2));
}

TEST_P(AcceptTest, OutOfFdsIsToldAndMayBeTriedAgain) {
  Dial(3);
  TrackedAccept& op = NewAccept(listener().fd);
  {
    const auto shortage = far_ends().TakeAllFds();
    Start(op);
    ASSERT_TRUE(RunUntilEnded(op));
    EXPECT_EQ(op.error, EMFILE);
    Start(op);
    ASSERT_TRUE(RunUntilEnded(op));
    EXPECT_EQ(op.error, EMFILE);
  }
  EXPECT_TRUE(op.fds.empty());
  Start(op);
  ASSERT_TRUE(RunUntilAccepted(op, 3));
  ExpectAllAlive();
}

TEST_P(AcceptTest, OutOfFdsEndsTheEmptyingOfTheBacklog) {
  Dial(3);
  TrackedAccept& op = NewAccept(listener().fd);
  op.empty_backlog = true;
  const auto shortage = far_ends().TakeAllFds();
  Start(op);
  Cancel(op);
  ASSERT_TRUE(RunUntilEnded(op));
  EXPECT_EQ(op.error, EMFILE);
}

TEST_P(AcceptTest, ThoseThatLeftBeforeDisturbNobody) {
  Dial(3);
  peers_[0]->Reset();
  peers_[1]->Close();
  TrackedAccept& op = NewAccept(listener().fd);
  Start(op);
  const auto last = peers_[2]->address();
  ASSERT_TRUE(RunUntil([&] { return !op.peers.empty() && op.peers.back() == last; }));
  EXPECT_TRUE(op.in_flight);
}

L4LB_FOR_EVERY_ENGINE(AcceptTest);

}  // namespace
}  // namespace l4lb

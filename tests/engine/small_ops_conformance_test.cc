// SPDX-License-Identifier: Apache-2.0
//
// Watch, Send, Read, and the verbs that are no ops: Shutdown, Close, what TCP knows.
#include <errno.h>

#include <string>
#include <string_view>

#include "tests/engine/pump_fixture.h"

namespace l4lb {
namespace {

constexpr QueueBytes kSmall{.send = kSmallQueue, .receive = kSmallQueue};

class SmallOpsTest : public PumpTestBase {
 protected:
  std::string_view Got(const TrackedRead& read) { return {read.data, read.size}; }
  void ExpectKnown(int fd) {
    EXPECT_TRUE(RunUntil([this, fd] { return engine().Acknowledgements(fd).closed; }));
  }
  bool RunUntilEnd(Peer& peer, Peer::End end) {
    return RunUntil([&peer, end] {
      peer.Receive();
      return peer.end() == end;
    });
  }
};

TEST_P(SmallOpsTest, WatchIsNotForDataAndNotForFin) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  connection.peer->Send("data");
  Turns(5);
  connection.peer->Finish();
  Turns(10);
  EXPECT_EQ(watch.ends, 0);
  Cancel(watch);
  ASSERT_TRUE(RunUntilEnded(watch));
  EXPECT_EQ(watch.error, ECANCELED);
}

TEST_P(SmallOpsTest, WatchSeesReset) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  connection.peer->Send("data");
  Turns(3);
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(watch));
  EXPECT_EQ(watch.error, 0);
}

TEST_P(SmallOpsTest, WatchSeesResetThatWasThereBefore) {
  Connection connection = Connect();
  connection.peer->Reset();
  ExpectKnown(connection.fd);
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  ASSERT_TRUE(RunUntilEnded(watch));
  EXPECT_EQ(watch.error, 0);
}

TEST_P(SmallOpsTest, WatchSeesThatBothDirectionsAreShut) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  engine().Shutdown(connection.fd);
  Turns(5);
  EXPECT_EQ(watch.ends, 0);
  connection.peer->Finish();
  ASSERT_TRUE(RunUntilEnded(watch));
  EXPECT_EQ(watch.error, 0);
}

// Nobody but the reader or the writer may take the error of the socket.
TEST_P(SmallOpsTest, WatchLeavesDataAndErrorToTheReader) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  connection.peer->Send("data");
  ASSERT_TRUE(RunUntilUnread(connection.fd, 4));
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(watch));
  TrackedRead& read = NewRead(connection.fd, 4);
  Start(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, 0);
  size_t size = read.size;
  while (size < 4) {
    Start(read);
    ASSERT_TRUE(RunUntilEnded(read));
    size += read.size;
  }
  Start(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, ECONNRESET);
  EXPECT_EQ(read.size, 0u);
}

TEST_P(SmallOpsTest, WatchBesideReadAndSend) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  TrackedRead& read = NewRead(connection.fd, 100);
  TrackedSend& send = NewSend(connection.fd, "header");
  Start(watch);
  Start(read);
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  connection.peer->Send("x");
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(Got(read), "x");
  EXPECT_EQ(watch.ends, 0);
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(watch));
}

TEST_P(SmallOpsTest, SendIsWhole) {
  Connection connection = Connect();
  TrackedSend& send = NewSend(connection.fd, "PROXY TCP4 ...\r\n");
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  EXPECT_EQ(send.error, 0);
  EXPECT_EQ(send.sent, send.data.size());
  std::string got;
  EXPECT_TRUE(RunUntil([&] { return (got += connection.peer->Receive()) == send.data; }));
}

TEST_P(SmallOpsTest, SendOfNothing) {
  Connection connection = Connect();
  TrackedSend& send = NewSend(connection.fd, "");
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  EXPECT_EQ(send.error, 0);
}

TEST_P(SmallOpsTest, SendWaitsForASlowReader) {
  const std::string& data = PlentyOfData();
  Connection connection = Connect(kSmall, kSmall);
  TrackedSend& send = NewSend(connection.fd, data);
  Start(send);
  Turns(10);
  EXPECT_EQ(send.ends, 0);
  std::string got;
  EXPECT_TRUE(RunUntil([&] {
    got += connection.peer->Receive();
    return got.size() == data.size() && send.ended();
  }));
  EXPECT_EQ(send.error, 0);
  EXPECT_EQ(Difference(got, data), "");
}

TEST_P(SmallOpsTest, SendFailsAtAReset) {
  const std::string& data = PlentyOfData();
  Connection connection = Connect(kSmall, kSmall);
  TrackedSend& send = NewSend(connection.fd, data);
  Start(send);
  Turns(5);
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(send));
  EXPECT_TRUE(send.error == ECONNRESET || send.error == EPIPE) << send.error;
  EXPECT_LT(send.sent, data.size());
}

TEST_P(SmallOpsTest, SendCanBeCancelled) {
  const std::string& data = PlentyOfData();
  Connection connection = Connect(kSmall, kSmall);
  TrackedSend& send = NewSend(connection.fd, data);
  Start(send);
  Turns(5);
  Cancel(send);
  ASSERT_TRUE(RunUntilEnded(send));
  EXPECT_EQ(send.error, ECANCELED);
  EXPECT_LT(send.sent, data.size());
}

TEST_P(SmallOpsTest, ReadGivesWhatIsThere) {
  Connection connection = Connect();
  TrackedRead& read = NewRead(connection.fd, 100);
  Start(read);
  Turns(3);
  EXPECT_EQ(read.ends, 0);
  connection.peer->Send("hello");
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, 0);
  EXPECT_GE(read.size, 1u);
  EXPECT_EQ(Got(read), std::string_view("hello").substr(0, read.size));
}

TEST_P(SmallOpsTest, ReadTakesNoMoreThanItsCapacity) {
  Connection connection = Connect();
  connection.peer->Send("0123456789");
  ASSERT_TRUE(RunUntilUnread(connection.fd, 10));
  TrackedRead& read = NewRead(connection.fd, 4);
  Start(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_GE(read.size, 1u);
  EXPECT_LE(read.size, 4u);
  EXPECT_EQ(engine().Unread(connection.fd), 10 - static_cast<int64_t>(read.size));
}

TEST_P(SmallOpsTest, ReadSeesFin) {
  Connection connection = Connect();
  TrackedRead& read = NewRead(connection.fd, 100);
  connection.peer->Finish();
  Start(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, 0);
  EXPECT_EQ(read.size, 0u);
}

TEST_P(SmallOpsTest, ReadSeesReset) {
  Connection connection = Connect();
  TrackedRead& read = NewRead(connection.fd, 100);
  Start(read);
  Turns(2);
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, ECONNRESET);
}

TEST_P(SmallOpsTest, ReadCanBeCancelled) {
  Connection connection = Connect();
  TrackedRead& read = NewRead(connection.fd, 100);
  Start(read);
  Turns(2);
  Cancel(read);
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.error, ECANCELED);
  connection.peer->Send("for the next");
  TrackedRead& next = NewRead(connection.fd, 100);
  Start(next);
  ASSERT_TRUE(RunUntilEnded(next));
  EXPECT_EQ(next.error, 0);
  EXPECT_EQ(next.data[0], 'f');
}

// From its own done(), again and again: how the input of a closing client is dropped.
TEST_P(SmallOpsTest, ReadDropsAndRestarts) {
  constexpr size_t kSize = 300'000;
  const std::string data = Pattern(kSize);
  Connection connection = Connect();
  TrackedRead& read = NewRead(connection.fd, 64 << 10);
  read.data = nullptr;
  size_t dropped = 0;
  read.then = [&] {
    dropped += read.size;
    EXPECT_LE(read.size, read.capacity);
    if (read.size > 0) Start(read);
  };
  Start(read);
  Feed feed(*connection.peer, data, true);
  ASSERT_TRUE(RunUntil([&] { return feed.Step() && read.ended(); }));
  EXPECT_EQ(dropped, kSize);
  EXPECT_EQ(read.error, 0);
}

TEST_P(SmallOpsTest, UnackedAndUnsentAndUnread) {
  const std::string& data = PlentyOfData();
  Connection connection = Connect(kSmall, kSmall);
  EXPECT_EQ(engine().Unacked(connection.fd), 0);
  EXPECT_EQ(engine().Unsent(connection.fd), 0);
  EXPECT_EQ(engine().Unread(connection.fd), 0);
  TrackedSend& send = NewSend(connection.fd, data);
  Start(send);
  // What the paused peer has no room for stays here.
  ASSERT_TRUE(RunUntil([&] { return engine().Unsent(connection.fd) > 0; }));
  EXPECT_GE(engine().Unacked(connection.fd), engine().Unsent(connection.fd));
  Cancel(send);
  ASSERT_TRUE(RunUntilEnded(send));
  connection.peer->Send("abc");
  EXPECT_TRUE(RunUntilUnread(connection.fd, 3));
  EXPECT_TRUE(RunUntil([&] {
    connection.peer->Receive();
    return engine().Unacked(connection.fd) == 0 && engine().Unsent(connection.fd) == 0;
  }));
}

TEST_P(SmallOpsTest, AcknowledgementsOfALivingPeer) {
  Connection connection = Connect();
  TrackedSend& send = NewSend(connection.fd, "hello");
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  ASSERT_TRUE(RunUntil([&] { return engine().Unacked(connection.fd) == 0; }));
  const AckState acks = engine().Acknowledgements(connection.fd);
  EXPECT_LT(acks.last_ack_ms, 10'000);
  EXPECT_EQ(acks.retransmits, 0);
  EXPECT_EQ(acks.probes, 0);
  EXPECT_FALSE(acks.closed);
}

TEST_P(SmallOpsTest, ShutdownSendsFinBehindTheData) {
  Connection connection = Connect();
  TrackedSend& send = NewSend(connection.fd, "last words");
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  engine().Shutdown(connection.fd);
  std::string got;
  EXPECT_TRUE(RunUntil([&] {
    got += connection.peer->Receive();
    return connection.peer->end() == Peer::End::kFin;
  }));
  EXPECT_EQ(got, "last words");
  // The other direction is open.
  TrackedRead& read = NewRead(connection.fd, 100);
  Start(read);
  connection.peer->Send("answer");
  ASSERT_TRUE(RunUntilEnded(read));
  EXPECT_EQ(read.data[0], 'a');
}

TEST_P(SmallOpsTest, ShutdownOfADeadPeerIsNoError) {
  Connection connection = Connect();
  connection.peer->Reset();
  ExpectKnown(connection.fd);
  engine().Shutdown(connection.fd);
  engine().Shutdown(connection.fd);
  Turns(2);
  Close(connection.fd);
}

TEST_P(SmallOpsTest, CloseDeliversWhatWasSent) {
  const std::string data = Pattern(100'000);
  Connection connection = Connect();
  TrackedSend& send = NewSend(connection.fd, data);
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  Close(connection.fd);
  std::string got;
  EXPECT_TRUE(RunUntil([&] {
    got += connection.peer->Receive();
    return connection.peer->end() == Peer::End::kFin;
  }));
  EXPECT_EQ(Difference(got, data), "");
}

TEST_P(SmallOpsTest, CloseByReset) {
  Connection connection = Connect();
  Close(connection.fd, CloseKind::kReset);
  EXPECT_TRUE(RunUntilEnd(*connection.peer, Peer::End::kReset));
}

TEST_P(SmallOpsTest, CloseOfOneNeverUsed) {
  Connection connection = Connect();
  Close(connection.fd);
  EXPECT_TRUE(RunUntilEnd(*connection.peer, Peer::End::kFin));
}

TEST_P(SmallOpsTest, CloseWithUnreadInputResets) {
  Connection connection = Connect();
  connection.peer->Send("nobody reads this");
  ASSERT_TRUE(RunUntilUnread(connection.fd, 17));
  Close(connection.fd);
  EXPECT_TRUE(RunUntilEnd(*connection.peer, Peer::End::kReset));
}

// As a session does that has given up: cancel, wait, close; the peer may do what it likes
// meanwhile.
TEST_P(SmallOpsTest, CloseFromTheDoneOfACancelledOp) {
  for (int round = 0; round < 10; ++round) {
    Connection connection = Connect();
    TrackedRead& read = NewRead(connection.fd, 100);
    read.then = [&] { Close(connection.fd, CloseKind::kReset); };
    Start(read);
    Turns(round % 2);
    if (round % 3 == 0) connection.peer->Send("x");
    Cancel(read);
    if (round % 3 == 1) connection.peer->Send("x");
    ASSERT_TRUE(RunUntilEnded(read));
    EXPECT_TRUE(RunUntilEnd(*connection.peer, Peer::End::kReset));
  }
}

L4LB_FOR_EVERY_ENGINE(SmallOpsTest);

}  // namespace
}  // namespace l4lb

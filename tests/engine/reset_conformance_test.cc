// SPDX-License-Identifier: Apache-2.0
//
// Resets: what was there before them is delivered, each is told once, and to the right pump.
#include <errno.h>

#include <string>

#include "tests/engine/pump_fixture.h"

namespace l4lb {
namespace {

class ResetTest : public PumpTestBase {
 protected:
  static bool IsReset(int error) { return error == ECONNRESET || error == EPIPE; }
  // Waits until the near end knows.
  void ExpectKnown(int fd) {
    EXPECT_TRUE(RunUntil([this, fd] { return engine().Acknowledgements(fd).closed; }));
  }
};

TEST_P(ResetTest, DataBeforeTheResetIsDelivered) {
  const std::string data = Pattern(100'000);
  Stream stream = NewStream();
  stream.from.peer->Send(data);
  ASSERT_TRUE(RunUntilUnread(stream.from.fd, 100'000));
  stream.from.peer->Reset();
  ExpectKnown(stream.from.fd);
  Start(*stream.pump);
  Drain(stream);
  EXPECT_EQ(Difference(stream.got, data), "");
  EXPECT_EQ(stream.pump->error, ECONNRESET);
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kFrom);
}

TEST_P(ResetTest, OfARunningPump) {
  Stream stream = NewStream();
  Start(*stream.pump);
  stream.from.peer->Send("before");
  ASSERT_TRUE(RunUntilGot(stream, 6));
  stream.from.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->error, ECONNRESET);
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kFrom);
  EXPECT_EQ(stream.pump->resets_told, 0) << "nothing was on its way";
}

TEST_P(ResetTest, WhileHoldingIsToldOnceAndEverythingIsDelivered) {
  const std::string& data = PlentyOfData();
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, data);
  int64_t left = -1;
  stream.pump->on_reset = [&] {
    left = static_cast<int64_t>(stream.pump->taken) + engine().Unread(stream.from.fd);
  };
  stream.from.peer->Reset();
  ASSERT_TRUE(RunUntil([&] { return stream.pump->resets_told == 1; }));
  Turns(5);
  EXPECT_TRUE(stream.pump->in_flight) << "the pump goes on";
  Drain(stream);
  EXPECT_EQ(stream.pump->resets_told, 1);
  EXPECT_EQ(stream.pump->bytes, stream.pump->taken);
  EXPECT_EQ(static_cast<int64_t>(stream.pump->bytes), left);
  EXPECT_EQ(Difference(stream.got, data.substr(0, stream.got.size())), "");
  EXPECT_EQ(stream.pump->error, ECONNRESET);
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kFrom);
}

// The pump meets the reset before it has anything to hold.
TEST_P(ResetTest, BeforeTheStartIsToldOnceThePumpHolds) {
  const std::string& prefix = PlentyOfData();
  Stream stream = NewSmallStream();
  stream.from.peer->Send("behind the prefix");
  ASSERT_TRUE(RunUntilUnread(stream.from.fd, 17));
  stream.from.peer->Reset();
  ExpectKnown(stream.from.fd);
  stream.pump->prefix = prefix;
  Start(*stream.pump);
  ASSERT_TRUE(RunUntil([&] { return stream.pump->resets_told == 1; }));
  Drain(stream);
  EXPECT_EQ(Difference(stream.got, prefix + "behind the prefix"), "");
  EXPECT_EQ(stream.pump->error, ECONNRESET);
}

TEST_P(ResetTest, CancelFromInsideFromReset) {
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  stream.pump->on_reset = [&] { Cancel(*stream.pump); };
  stream.from.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->error, ECANCELED);
}

TEST_P(ResetTest, OfToWhileIdle) {
  Stream stream = NewStream();
  Start(*stream.pump);
  Turns(3);
  stream.to.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(stream.pump->error)) << stream.pump->error;
}

TEST_P(ResetTest, OfToBeforeTheStart) {
  Stream stream = NewStream();
  stream.to.peer->Reset();
  ExpectKnown(stream.to.fd);
  Start(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(stream.pump->error)) << stream.pump->error;
}

// The engine knows it already: no event will come any more.
TEST_P(ResetTest, OfToSeenByAWatchBeforeTheStart) {
  Stream stream = NewStream();
  TrackedWatch& watch = NewWatch(stream.to.fd);
  Start(watch);
  stream.to.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(watch));
  Turns(3);
  Start(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(stream.pump->error)) << stream.pump->error;
}

TEST_P(ResetTest, OfToWhileBlocked) {
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  stream.to.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(stream.pump->error)) << stream.pump->error;
  EXPECT_GT(stream.pump->taken, stream.pump->bytes);
}

TEST_P(ResetTest, OfToByClosingWithoutReading) {
  Stream stream = NewStream();
  Start(*stream.pump);
  stream.from.peer->Send("never read");
  ASSERT_TRUE(RunUntil([&] { return stream.pump->bytes == 10; }));
  ASSERT_TRUE(RunUntil([&] { return engine().Unacked(stream.to.fd) == 0; }));
  stream.to.peer->Close();
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->failed, PumpOp::End::kTo);
}

// The kernel tells of a reset once.  Here the writer asks first ...
TEST_P(ResetTest, WriterTellsFirstAndTheReaderStillGetsTheData) {
  const std::string answer = Pattern(50'000);
  Connection client = Connect();
  Connection backend = Connect();
  backend.peer->Send(answer);
  ASSERT_TRUE(RunUntilUnread(backend.fd, 50'000));
  backend.peer->Reset();
  ExpectKnown(backend.fd);
  client.peer->Send("more of the question");
  ASSERT_TRUE(RunUntilUnread(client.fd, 20));
  TrackedPump& there = NewPump(client.fd, backend.fd);
  Start(there);
  ASSERT_TRUE(RunUntilEnded(there));
  EXPECT_EQ(there.failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(there.error)) << there.error;
  TrackedPump& back = NewPump(backend.fd, client.fd);
  Start(back);
  std::string got;
  ASSERT_TRUE(RunUntil([&] { return (got += client.peer->Receive()).size() >= answer.size(); }));
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_EQ(Difference(got, answer), "");
  EXPECT_TRUE(back.error == 0 || back.failed == PumpOp::End::kFrom) << back.error;
}

// ... and here the reader.
TEST_P(ResetTest, ReaderTellsFirstAndTheWriterFails) {
  const std::string answer = Pattern(50'000);
  Connection client = Connect();
  Connection backend = Connect();
  backend.peer->Send(answer);
  ASSERT_TRUE(RunUntilUnread(backend.fd, 50'000));
  backend.peer->Reset();
  ExpectKnown(backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  Start(back);
  std::string got;
  ASSERT_TRUE(RunUntil([&] { return (got += client.peer->Receive()).size() >= answer.size(); }));
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_EQ(Difference(got, answer), "");
  EXPECT_EQ(back.error, ECONNRESET);
  EXPECT_EQ(back.failed, PumpOp::End::kFrom);
  TrackedPump& there = NewPump(client.fd, backend.fd);
  Start(there);
  client.peer->Send("more of the question");
  ASSERT_TRUE(RunUntilEnded(there));
  EXPECT_EQ(there.failed, PumpOp::End::kTo);
  EXPECT_TRUE(IsReset(there.error)) << there.error;
}

// Both at once, whoever comes first: the data arrives, and at least one of them tells of the reset.
// A clean end that is none comes after that news, or its owner would pass a FIN on.
TEST_P(ResetTest, BothPumpsRunning) {
  const std::string answer = Pattern(50'000);
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  back.then = [&] {
    if (back.error == 0) {
      EXPECT_TRUE(there.ended());
    }
  };
  Start(there);
  Start(back);
  std::string got;
  backend.peer->Send(answer);
  ASSERT_TRUE(RunUntil([&] { return (got += client.peer->Receive()).size() >= answer.size(); }));
  client.peer->Send("more of the question");
  backend.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(there));
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_EQ(Difference(got, answer), "");
  EXPECT_TRUE(IsReset(there.error) || IsReset(back.error));
}

// The sibling of a pump whose `to` was reset still has bytes on their way to the client.
TEST_P(ResetTest, SiblingThatHoldsIsNotDisturbed) {
  const std::string& answer = PlentyOfData();
  const QueueBytes small{.send = kSmallQueue, .receive = kSmallQueue};
  Connection client = Connect(small, small);
  Connection backend = Connect(small, small);
  TrackedPump& there = NewPump(client.fd, backend.fd);
  Stream back{.from = std::move(backend), .to = std::move(client)};
  back.pump = &NewPump(back.from.fd, back.to.fd);
  Start(there);
  Start(*back.pump);
  Stall(back, answer);
  back.from.peer->Reset();
  back.to.peer->Send("more of the question");
  ASSERT_TRUE(RunUntilEnded(there));
  EXPECT_EQ(there.failed, PumpOp::End::kTo);
  Turns(3);
  EXPECT_TRUE(back.pump->in_flight);
  Drain(back);
  EXPECT_EQ(back.pump->bytes, back.pump->taken);
  EXPECT_EQ(Difference(back.got, answer.substr(0, back.got.size())), "");
}

TEST_P(ResetTest, AfterAFinIsACleanEnd) {
  Stream stream = NewStream();
  stream.from.peer->Send("all of it");
  stream.from.peer->Close();
  ASSERT_TRUE(RunUntilUnread(stream.from.fd, 9));
  TrackedSend& send = NewSend(stream.from.fd, "nobody reads this");
  Start(send);
  ASSERT_TRUE(RunUntilEnded(send));
  ExpectKnown(stream.from.fd);
  Start(*stream.pump);
  Drain(stream);
  EXPECT_EQ(stream.got, "all of it");
  EXPECT_EQ(stream.pump->error, 0);
}

L4LB_FOR_EVERY_ENGINE(ResetTest);

}  // namespace
}  // namespace l4lb

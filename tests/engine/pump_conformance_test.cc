// SPDX-License-Identifier: Apache-2.0
//
// What a pump moves, how it ends and what it tells.
#include <errno.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/pump_fixture.h"

namespace l4lb {
namespace {

class PumpTest : public PumpTestBase {};

TEST_P(PumpTest, EveryByteThenFin) {
  const std::string data = Pattern(1 << 20);
  Stream stream = NewStream();
  Start(*stream.pump);
  Transfer(stream, data);
  EXPECT_EQ(Difference(stream.got, data), "");
  EXPECT_EQ(stream.pump->taken, data.size());
  EXPECT_EQ(stream.pump->bytes, data.size());
  EXPECT_EQ(stream.to.peer->end(), Peer::End::kOpen) << "the FIN is the owner's to pass on";
  engine().Shutdown(stream.to.fd);
  EXPECT_TRUE(RunUntil([&] {
    stream.Receive();
    return stream.to.peer->end() == Peer::End::kFin;
  }));
}

TEST_P(PumpTest, NothingButFin) {
  Stream stream = NewStream();
  Start(*stream.pump);
  Transfer(stream, "");
  EXPECT_EQ(stream.pump->bytes, 0u);
  EXPECT_EQ(stream.pump->first_at_ms, 0);
  EXPECT_EQ(stream.pump->moved_at_ms, 0);
}

TEST_P(PumpTest, BytesAndFinThatWaitedBeforeTheStart) {
  Stream stream = NewStream();
  stream.from.peer->Send("already here");
  stream.from.peer->Finish();
  ASSERT_TRUE(RunUntilUnread(stream.from.fd, 12));
  Start(*stream.pump);
  Drain(stream);
  EXPECT_EQ(stream.got, "already here");
  EXPECT_EQ(stream.pump->error, 0);
}

// Its owner closes it next, and asks first whether all has left: bytes may wait for the FIN that
// follows them only where that FIN is passed on.
TEST_P(PumpTest, NothingIsLeftUnsentTowardAnEndThatHasFinished) {
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  Start(there);
  client.peer->Finish();
  ASSERT_TRUE(RunUntilEnded(there));
  backend.peer->Send("the answer");
  backend.peer->Finish();
  Turns(3);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  int64_t unsent = -1;
  back.then = [&] { unsent = engine().Unsent(client.fd); };
  Start(back);
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_EQ(back.error, 0);
  EXPECT_EQ(unsent, 0);
  std::string got;
  EXPECT_TRUE(RunUntil([&] { return (got += client.peer->Receive()) == "the answer"; }));
}

TEST_P(PumpTest, BothDirectionsAndHalfClose) {
  const std::string question = Pattern(300'000, 1);
  const std::string answer = Pattern(500'000, 2);
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  there.then = [&] { engine().Shutdown(backend.fd); };
  back.then = [&] { engine().Shutdown(client.fd); };
  Start(there);
  Start(back);
  Feed asking(*client.peer, question, true);
  Feed answering(*backend.peer, answer, true);
  std::string asked;
  std::string answered;
  EXPECT_TRUE(RunUntil([&] {
    asking.Step();
    asked += backend.peer->Receive();
    // Answers only once the question is over: the half-close must have been passed on alone.
    if (backend.peer->end() == Peer::End::kFin) answering.Step();
    answered += client.peer->Receive();
    return client.peer->end() == Peer::End::kFin;
  }));
  EXPECT_EQ(Difference(asked, question), "");
  EXPECT_EQ(Difference(answered, answer), "");
  EXPECT_EQ(there.error, 0);
  EXPECT_EQ(back.error, 0);
}

TEST_P(PumpTest, PrefixGoesFirst) {
  Stream stream = NewStream();
  stream.pump->prefix = "PROXY ";
  Start(*stream.pump);
  EXPECT_EQ(stream.pump->taken, 6u);
  EXPECT_EQ(stream.pump->bytes, 0u);
  ASSERT_TRUE(RunUntilGot(stream, 6));
  Transfer(stream, "data");
  EXPECT_EQ(stream.got, "PROXY data");
  EXPECT_EQ(stream.pump->taken, 10u);
  EXPECT_EQ(stream.pump->bytes, 10u);
}

TEST_P(PumpTest, PrefixIsDeliveredAlsoIfNothingFollows) {
  Stream stream = NewStream();
  stream.pump->prefix = "alone";
  stream.from.peer->Finish();
  Start(*stream.pump);
  Drain(stream);
  EXPECT_EQ(stream.got, "alone");
  EXPECT_EQ(stream.pump->error, 0);
}

TEST_P(PumpTest, PrefixLargerThanTheQueues) {
  const std::string prefix = Pattern(3 << 20);
  Stream stream = NewSmallStream();
  stream.pump->prefix = prefix;
  Start(*stream.pump);
  Turns(5);
  EXPECT_TRUE(stream.pump->holding());
  Transfer(stream, "end");
  EXPECT_EQ(Difference(stream.got, prefix + "end"), "");
}

TEST_P(PumpTest, CountersAndTimes) {
  Stream stream = NewStream();
  Start(*stream.pump);
  Turns(2);
  EXPECT_EQ(stream.pump->first_at_ms, 0);
  const int64_t before = Now();
  stream.from.peer->Send("first");
  ASSERT_TRUE(RunUntilGot(stream, 5));
  EXPECT_EQ(stream.pump->taken, 5u);
  EXPECT_EQ(stream.pump->bytes, 5u);
  const int64_t first = stream.pump->first_at_ms;
  EXPECT_GE(first, before);
  EXPECT_LE(first, Now());
  EXPECT_GE(stream.pump->moved_at_ms, first);
  const int64_t quiet_until = Now() + 20;
  ASSERT_TRUE(RunUntil([&] { return Now() >= quiet_until; }));
  EXPECT_LT(stream.pump->moved_at_ms, quiet_until);
  stream.from.peer->Send("second");
  ASSERT_TRUE(RunUntilGot(stream, 11));
  EXPECT_EQ(stream.pump->first_at_ms, first);
  EXPECT_GE(stream.pump->moved_at_ms, quiet_until);
}

TEST_P(PumpTest, ManySmallMessages) {
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  Start(there);
  Start(back);
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    const std::string message = "message " + std::to_string(round);
    client.peer->Send(message);
    std::string echoed;
    ASSERT_TRUE(RunUntil([&] {
      backend.peer->Send(backend.peer->Receive());
      return (echoed += client.peer->Receive()).size() >= message.size();
    }));
    ASSERT_EQ(echoed, message);
  }
}

TEST_P(PumpTest, CancelWhileIdle) {
  Stream stream = NewStream();
  Start(*stream.pump);
  Turns(3);
  Cancel(*stream.pump);
  Cancel(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->error, ECANCELED);
  Cancel(*stream.pump);
  Turns(3);
  EXPECT_EQ(stream.pump->ends, 1);
}

TEST_P(PumpTest, CancelBeforeTheFirstTurn) {
  Stream stream = NewStream();
  stream.from.peer->Send("data");
  Start(*stream.pump);
  Cancel(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->error, ECANCELED);
}

TEST_P(PumpTest, CancelWhileHolding) {
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  Cancel(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  EXPECT_EQ(stream.pump->error, ECANCELED);
  EXPECT_GT(stream.pump->taken, stream.pump->bytes) << "what is dropped is counted";
}

// Too late or not: both are right, twice is not.
TEST_P(PumpTest, CancelWhileEnding) {
  for (int turns = 0; turns < 4; ++turns) {
    Stream stream = NewStream();
    Start(*stream.pump);
    Turns(2);
    stream.from.peer->Finish();
    Turns(turns);
    Cancel(*stream.pump);
    ASSERT_TRUE(RunUntilEnded(*stream.pump));
    EXPECT_TRUE(stream.pump->error == 0 || stream.pump->error == ECANCELED);
  }
}

TEST_P(PumpTest, CancelOfTheSiblingFromDone) {
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  there.then = [&] { Cancel(back); };
  Start(there);
  Start(back);
  client.peer->Finish();
  backend.peer->Finish();
  ASSERT_TRUE(RunUntilEnded(there));
  ASSERT_TRUE(RunUntilEnded(back));
  EXPECT_TRUE(back.error == 0 || back.error == ECANCELED);
}

TEST_P(PumpTest, RestartFromDoneStartsAfresh) {
  Stream stream = NewStream();
  Stream next = NewStream();
  uint64_t first_bytes = 0;
  stream.pump->then = [&] {
    if (stream.pump->ends > 1) return;
    first_bytes = stream.pump->bytes;
    stream.pump->from = next.from.fd;
    stream.pump->to = next.to.fd;
    Start(*stream.pump);
    EXPECT_EQ(stream.pump->taken, 0u);
    EXPECT_EQ(stream.pump->bytes, 0u);
    EXPECT_EQ(stream.pump->first_at_ms, 0);
  };
  Start(*stream.pump);
  stream.from.peer->Send("one");
  stream.from.peer->Finish();
  next.from.peer->Send("second");
  ASSERT_TRUE(RunUntilGot(next, 6));
  EXPECT_EQ(first_bytes, 3u);
  EXPECT_EQ(stream.pump->bytes, 6u);
}

// A cancelled pump can be started again, and no byte is lost unless it was holding.
TEST_P(PumpTest, CancelledAndStartedAgain) {
  Stream stream = NewStream();
  Start(*stream.pump);
  stream.from.peer->Send("one ");
  ASSERT_TRUE(RunUntilGot(stream, 4));
  Cancel(*stream.pump);
  ASSERT_TRUE(RunUntilEnded(*stream.pump));
  stream.from.peer->Send("two");
  Start(*stream.pump);
  ASSERT_TRUE(RunUntilGot(stream, 7));
  EXPECT_EQ(stream.got, "one two");
}

// Every round gets the fd numbers of the round before, with its events perhaps still on their way.
TEST_P(PumpTest, FdNumbersAreUsedAgain) {
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    Stream stream = NewStream();
    stream.pump->then = [&] {
      Close(stream.from.fd, round % 2 == 0 ? CloseKind::kFin : CloseKind::kReset);
      Close(stream.to.fd);
    };
    Start(*stream.pump);
    Turns(round % 3);
    stream.from.peer->Send("abc");
    if (round % 4 == 3) {
      ASSERT_TRUE(RunUntilGot(stream, 3));
      stream.from.peer->Reset();
    } else {
      stream.from.peer->Finish();
    }
    Drain(stream);
    EXPECT_EQ(stream.got, "abc") << "round " << round;
    EXPECT_EQ(stream.pump->error, round % 4 == 3 ? ECONNRESET : 0) << "round " << round;
    stream.to.peer->Send("too late, and an event for nobody");
  }
}

// Ends of many connections in one turn, each of which closes and opens others.
TEST_P(PumpTest, CloseAndOpenFromDone) {
  constexpr size_t kStreams = 12;
  std::vector<Stream> streams;
  std::vector<Stream> next;
  next.reserve(kStreams);
  for (size_t i = 0; i < kStreams; ++i) streams.push_back(NewStream());
  for (Stream& stream : streams) {
    stream.pump->then = [&, this] {
      Close(stream.from.fd);
      Close(stream.to.fd);
      next.push_back(NewStream());
      next.back().from.peer->Send("next");
      Start(*next.back().pump);
    };
    Start(*stream.pump);
  }
  Turns(2);
  for (Stream& stream : streams) stream.from.peer->Finish();
  EXPECT_TRUE(RunUntil([&] {
    size_t arrived = 0;
    for (Stream& stream : next) {
      stream.Receive();
      arrived += stream.got == "next";
    }
    return arrived == kStreams;
  }));
}

L4LB_FOR_EVERY_ENGINE(PumpTest);

}  // namespace
}  // namespace l4lb

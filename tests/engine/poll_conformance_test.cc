// SPDX-License-Identifier: Apache-2.0
//
// Poll() and Wake(): when a turn ends, and that there are no turns for nothing.
#include <chrono>
#include <string>
#include <thread>

#include "tests/engine/pump_fixture.h"

namespace l4lb {
namespace {

constexpr int64_t kQuietMs = 200;
constexpr uint64_t kFewTurns = 8;

class PollTest : public PumpTestBase {
 protected:
  // The turns that pass while nothing happens.
  uint64_t TurnsOfSilence() {
    Turns(10);  // Whatever was left to do.
    const uint64_t before = engine().stats().turns;
    const int64_t until = Now() + kQuietMs;
    while (Now() < until) engine().Poll(until);
    return engine().stats().turns - before;
  }
};

TEST_P(PollTest, EndsAtItsTime) {
  Turns(3);
  const int64_t start = Now();
  const int64_t wake_at = start + 30;
  EXPECT_TRUE(RunUntil([&] { return Now() >= wake_at; }));
  EXPECT_GE(engine().now_ms(), wake_at - 5);
  Turn(0);
  EXPECT_GE(engine().now_ms(), wake_at);
}

TEST_P(PollTest, TimeThatHasPassedDoesNotWait) {
  Turns(3);
  const auto start = std::chrono::steady_clock::now();
  const uint64_t before = engine().stats().turns;
  engine().Poll(Now() - 1000);
  engine().Poll(0);
  engine().Poll(-1);
  EXPECT_EQ(engine().stats().turns, before + 3);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_P(PollTest, PastTimeStillDoesTheWork) {
  Stream stream = NewStream();
  Start(*stream.pump);
  stream.from.peer->Send("work");
  EXPECT_TRUE(RunUntil([&] {
    Turn(-1000);
    stream.Receive();
    return stream.got == "work";
  }));
}

TEST_P(PollTest, ClockIsReadOncePerTurn) {
  Turn(0);
  const int64_t first = engine().now_ms();
  EXPECT_LE(first, Now());
  const int64_t later = Now() + 10;
  EXPECT_TRUE(RunUntil([&] { return Now() >= later; }));
  Turn(0);
  EXPECT_GE(engine().now_ms(), later);
}

TEST_P(PollTest, WakeBeforePoll) {
  Turns(3);
  engine().Wake();
  engine().Wake();
  engine().Poll(Engine::kForever);  // Would never return.
}

TEST_P(PollTest, WakeFromAnotherThread) {
  Turns(3);
  for (int i = 0; i < 20; ++i) {
    std::thread other([this, i] {
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 4));
      engine().Wake();
    });
    engine().Poll(Engine::kForever);
    other.join();
  }
}

TEST_P(PollTest, WakesFromManyThreads) {
  Stream stream = NewStream();
  Start(*stream.pump);
  std::thread one([this] {
    for (int i = 0; i < 1000; ++i) engine().Wake();
  });
  std::thread two([this] {
    for (int i = 0; i < 1000; ++i) engine().Wake();
  });
  const std::string data = Pattern(200'000);
  Transfer(stream, data);
  one.join();
  two.join();
  EXPECT_EQ(Difference(stream.got, data), "");
}

TEST_P(PollTest, NoTurnsWhileIdle) {
  Connection connection = Connect();
  Stream stream = NewStream();
  Start(*stream.pump);
  Start(NewAccept(ListenNear().fd));
  Start(NewWatch(connection.fd));
  Start(NewRead(connection.fd, 10));
  Start(NewConnect(far_ends().SilentAddress()));
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsWhileStalled) {
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsWhileStalledWithFromReset) {
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  stream.from.peer->Reset();
  ASSERT_TRUE(RunUntil([&] { return stream.pump->resets_told == 1; }));
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

// Its FIN is there for good, and it still has to be waited for.
TEST_P(PollTest, NoTurnsWhileStalledTowardAnEndThatHasFinished) {
  Stream stream = NewSmallStream();
  stream.to.peer->Finish();
  Start(*stream.pump);
  Stall(stream, PlentyOfData());
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsWhileASendWaitsForAnEndThatHasFinished) {
  Connection connection = Connect({.send = kSmallQueue, .receive = kSmallQueue},
                                  {.send = kSmallQueue, .receive = kSmallQueue});
  connection.peer->Finish();
  Start(NewSend(connection.fd, PlentyOfData()));
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsForAnIdlePumpBetweenEndsThatHaveFinished) {
  Connection client = Connect();
  Connection backend = Connect();
  TrackedPump& there = NewPump(client.fd, backend.fd);
  TrackedPump& back = NewPump(backend.fd, client.fd);
  Start(there);
  Start(back);
  client.peer->Finish();
  ASSERT_TRUE(RunUntilEnded(there));
  engine().Shutdown(backend.fd);
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
  EXPECT_TRUE(back.in_flight);
}

TEST_P(PollTest, NoTurnsForWhatNobodyReads) {
  Connection connection = Connect();
  Start(NewWatch(connection.fd));
  connection.peer->Send("nobody reads this yet");
  connection.peer->Finish();
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsForADeadSocketWithoutOps) {
  Connection connection = Connect();
  TrackedWatch& watch = NewWatch(connection.fd);
  Start(watch);
  connection.peer->Reset();
  ASSERT_TRUE(RunUntilEnded(watch));
  EXPECT_LE(TurnsOfSilence(), kFewTurns);
}

TEST_P(PollTest, NoTurnsWhileWaitingForABuffer) {
  const size_t count = GetParam().options.buffer_count;
  if (count > 8) GTEST_SKIP() << "too many buffers to use them up";
  const std::string& data = PlentyOfData();
  std::vector<Stream> streams;
  for (size_t i = 0; i <= count; ++i) streams.push_back(NewSmallStream());
  for (size_t i = 0; i < count; ++i) {
    Start(*streams[i].pump);
    Stall(streams[i], data);
  }
  Start(*streams[count].pump);
  streams[count].from.peer->Send("waits");
  ASSERT_TRUE(RunUntil([&] { return engine().stats().buffer_waits > 0; }));
  // The kernel's probes may let some more bytes through, and even free a buffer.
  uint64_t turns = TurnsOfSilence();
  for (int more = 0; more < 5 && turns > kFewTurns; ++more) turns = TurnsOfSilence();
  EXPECT_LE(turns, kFewTurns);
}

L4LB_FOR_EVERY_ENGINE(PollTest);

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// That FakeEngine sees what its user does wrong, and that its faults repeat by seed.  What it does
// right is the conformance suite's affair (tests/engine).
#include "tests/support/fake_engine.h"

#include <errno.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/memory_peer.h"

namespace l4lb {
namespace {

class FakeEngineTest : public ::testing::Test {
 public:
  FakeEngineTest() {
    ::testing::FLAGS_gtest_death_test_style = "fast";
    connection_ = far_ends_.Connect({}, {});
    Bind<&FakeEngineTest::OnReadEnd>(read_, this);
    read_.fd = connection_.fd;
    read_.data = buffer_;
    read_.capacity = sizeof buffer_;
  }
  void OnReadEnd(ReadOp&) {
    ++ends_;
    if (poll_again_) engine_.Poll(0);
  }
  void FinishRead() {
    engine_.Cancel(read_);
    while (read_.in_flight) engine_.Poll(clock_.NowMs() + 1);
  }

  ManualClock clock_;
  Dice dice_{1};
  FakeNetwork network_{clock_, dice_};
  FakeEngine engine_{network_, {}};
  MemoryFarEnds far_ends_{engine_};
  Connection connection_;
  ReadOp read_;
  char buffer_[100];
  int ends_ = 0;
  bool poll_again_ = false;
};

using FakeEngineDeathTest = FakeEngineTest;

TEST_F(FakeEngineDeathTest, OpStartedTwice) {
  engine_.Read(read_);
  EXPECT_DEATH(engine_.Read(read_), "op started twice");
  FinishRead();
}

TEST_F(FakeEngineDeathTest, TwoReadersOnOneFd) {
  engine_.Read(read_);
  PumpOp pump;
  pump.from = pump.to = connection_.fd;
  pump.done = [](Op&) {};
  EXPECT_DEATH(engine_.Pump(pump, {}), "two ops read fd");
  FinishRead();
}

TEST_F(FakeEngineDeathTest, CloseUnderAnOp) {
  engine_.Read(read_);
  EXPECT_DEATH(engine_.Close(connection_.fd, CloseKind::kFin), "with an op in flight");
  FinishRead();
}

TEST_F(FakeEngineDeathTest, CloseTwice) {
  engine_.Close(connection_.fd, CloseKind::kFin);
  EXPECT_DEATH(engine_.Close(connection_.fd, CloseKind::kFin), "is not open");
}

TEST_F(FakeEngineDeathTest, UseAfterClose) {
  engine_.Close(connection_.fd, CloseKind::kFin);
  EXPECT_DEATH(engine_.Read(read_), "is not open");
  EXPECT_DEATH(engine_.Shutdown(connection_.fd), "is not open");
  EXPECT_DEATH(engine_.Unacked(connection_.fd), "is not open");
}

TEST_F(FakeEngineDeathTest, OpChangedInFlight) {
  engine_.Read(read_);
  const auto done = read_.done;
  read_.done = nullptr;
  EXPECT_DEATH(engine_.Poll(0), "changed or destroyed in flight");
  read_.done = done;
  FinishRead();
}

TEST_F(FakeEngineDeathTest, PollInsidePoll) {
  engine_.Read(read_);
  connection_.peer->Send("x");
  poll_again_ = true;
  EXPECT_DEATH(engine_.Poll(0), "from inside Poll");
  poll_again_ = false;
  engine_.Poll(0);
  EXPECT_EQ(ends_, 1);
}

TEST_F(FakeEngineTest, TimePassesOnlyWhenNothingIsReady) {
  engine_.Read(read_);
  connection_.peer->Send("x");
  engine_.Poll(clock_.NowMs() + 1000);
  EXPECT_EQ(ends_, 1);
  EXPECT_EQ(clock_.NowMs(), 1'000'000);
  network_.At(1'000'300, [this] { connection_.peer->Send("y"); });
  engine_.Read(read_);
  engine_.Poll(clock_.NowMs() + 1000);
  EXPECT_EQ(ends_, 2);
  EXPECT_EQ(engine_.now_ms(), 1'000'300);
  engine_.Poll(clock_.NowMs() + 1000);
  EXPECT_EQ(engine_.now_ms(), 1'001'300);
}

TEST_F(FakeEngineTest, LostPeerIsTold) {
  auto& peer = static_cast<MemoryPeer&>(*connection_.peer);
  SendOp send;
  send.done = [](Op&) {};
  send.fd = connection_.fd;
  send.data = "hello";
  peer.Vanish();
  engine_.Send(send);
  while (send.in_flight) engine_.Poll(0);
  EXPECT_EQ(engine_.Unacked(connection_.fd), 5);
  clock_.Advance(20'000);
  const AckState acks = engine_.Acknowledgements(connection_.fd);
  EXPECT_GE(acks.last_ack_ms, 20'000);
  EXPECT_GE(acks.retransmits, 3);
}

// What happened to one megabyte, turn by turn.
std::string Story(uint64_t seed) {
  ManualClock clock;
  Dice dice(seed);
  FakeNetwork network(clock, dice);
  network.faults = {.delay = 0.2, .max_delay_ms = 50};
  FakeEngine engine(network,
                    {.faults = {.partial = 0.3, .stall = 0.2, .late = 0.5, .shuffle = true}});
  MemoryFarEnds far_ends(engine);
  Connection from = far_ends.Connect({}, {});
  Connection to = far_ends.Connect({}, {});
  std::string story;
  PumpOp pump;
  pump.from = from.fd;
  pump.to = to.fd;
  pump.done = [](Op&) {};
  engine.Pump(pump, {});
  size_t sent = 0;
  size_t got = 0;
  constexpr size_t kSize = 1 << 20;
  const std::string data(kSize, 'x');
  while (pump.in_flight) {
    sent += from.peer->Send(std::string_view(data).substr(sent));
    if (sent == kSize) from.peer->Finish();
    engine.Poll(clock.NowMs() + 1000);
    got += to.peer->Receive().size();
    story += std::to_string(clock.NowMs()) + ":" + std::to_string(pump.bytes) + " ";
  }
  while (to.peer->end() == Peer::End::kOpen && got < kSize) {
    engine.Poll(clock.NowMs() + 1000);
    got += to.peer->Receive().size();
  }
  EXPECT_EQ(got, kSize);
  engine.Close(from.fd, CloseKind::kFin);
  engine.Close(to.fd, CloseKind::kFin);
  return story;
}

TEST(FakeEngineSeedTest, SameSeedSameStory) {
  EXPECT_EQ(Story(7), Story(7));
  EXPECT_NE(Story(7), Story(8));
}

}  // namespace
}  // namespace l4lb

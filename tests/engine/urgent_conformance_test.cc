// SPDX-License-Identifier: Apache-2.0
//
// Urgent data, and going over from copying to splicing and back.  Splice stops in front of urgent
// data, first with EAGAIN for ever, then with a false end: a pump must not believe it.
#include <string>
#include <string_view>

#include "tests/engine/pump_fixture.h"

namespace l4lb {
namespace {

class UrgentTest : public PumpTestBase {
 protected:
  // Without a FIN.
  void SendAndReceive(Stream& stream, std::string_view data) {
    const size_t wanted = stream.got.size() + data.size();
    Feed feed(*stream.from.peer, data, false);
    ASSERT_TRUE(RunUntil([&] {
      feed.Step();
      stream.Receive();
      return stream.got.size() >= wanted;
    }));
  }
  uint64_t spliced() { return engine().stats().spliced_bytes; }
};

TEST_P(UrgentTest, InTheMiddle) {
  if (!far_ends().has_urgent_data()) GTEST_SKIP() << "no urgent data in memory";
  const std::string data = Pattern(1 << 20);
  const std::string_view half = std::string_view(data).substr(0, data.size() / 2);
  Stream stream = NewStream();
  Start(*stream.pump);
  SendAndReceive(stream, half);
  ASSERT_TRUE(stream.from.peer->SendUrgent('!'));
  SendAndReceive(stream, half);
  ASSERT_TRUE(RunUntilGot(stream, data.size() + 1));
  EXPECT_EQ(Difference(stream.got, std::string(half) + "!" + std::string(half)), "");
  EXPECT_TRUE(stream.pump->in_flight);
}

TEST_P(UrgentTest, InTheMiddleOfWhatWaits) {
  if (!far_ends().has_urgent_data()) GTEST_SKIP() << "no urgent data in memory";
  const std::string data = Pattern(4 << 20);
  Stream stream = NewSmallStream();
  Start(*stream.pump);
  const size_t first = Stall(stream, data);
  // The queues are full up to the sender: the urgent byte will lie among unread bytes.
  ASSERT_TRUE(RunUntil([&] {
    stream.Receive(64 << 10);
    return stream.from.peer->SendUrgent('!');
  }));
  const std::string rest = Pattern(100'000, 3);
  Transfer(stream, rest);
  EXPECT_EQ(Difference(stream.got, data.substr(0, first) + "!" + rest), "");
}

TEST_P(UrgentTest, AsTheLastByteBeforeFin) {
  if (!far_ends().has_urgent_data()) GTEST_SKIP() << "no urgent data in memory";
  const std::string data = Pattern(600'000);
  Stream stream = NewStream();
  Start(*stream.pump);
  SendAndReceive(stream, data);
  ASSERT_TRUE(stream.from.peer->SendUrgent('!'));
  stream.from.peer->Finish();
  Drain(stream);
  EXPECT_EQ(Difference(stream.got, data + "!"), "");
  EXPECT_EQ(stream.pump->error, 0);
}

TEST_P(UrgentTest, AsTheLastByteBeforeSilence) {
  if (!far_ends().has_urgent_data()) GTEST_SKIP() << "no urgent data in memory";
  const std::string data = Pattern(600'000);
  Stream stream = NewStream();
  Start(*stream.pump);
  SendAndReceive(stream, data);
  ASSERT_TRUE(stream.from.peer->SendUrgent('!'));
  ASSERT_TRUE(RunUntilGot(stream, data.size() + 1));
  EXPECT_EQ(Difference(stream.got, data + "!"), "");
}

TEST_P(UrgentTest, ManyInARow) {
  if (!far_ends().has_urgent_data()) GTEST_SKIP() << "no urgent data in memory";
  Stream stream = NewStream();
  Start(*stream.pump);
  std::string wanted;
  for (int round = 0; round < 50; ++round) {
    const std::string data = Pattern(round % 5 == 0 ? 100'000 : 10, static_cast<uint32_t>(round));
    SendAndReceive(stream, data);
    ASSERT_TRUE(stream.from.peer->SendUrgent('!'));
    wanted += data + "!";
    ASSERT_TRUE(RunUntilGot(stream, wanted.size()));
  }
  EXPECT_EQ(Difference(stream.got, wanted), "");
}

TEST_P(UrgentTest, CopyThenSpliceThenCopyKeepsEveryByte) {
  Stream stream = NewStream();
  Start(*stream.pump);
  std::string wanted;
  for (uint32_t round = 0; round < 3; ++round) {
    const std::string bulk = Pattern(2 << 20, round);
    const uint64_t spliced_before = spliced();
    SendAndReceive(stream, bulk);
    EXPECT_EQ(spliced() > spliced_before, GetParam().splices);
    wanted += bulk;
    for (int i = 0; i < 20; ++i) {
      const std::string message = "small " + std::to_string(i);
      SendAndReceive(stream, message);
      wanted += message;
    }
    const uint64_t spliced_after = spliced();
    SendAndReceive(stream, "and one more");
    wanted += "and one more";
    EXPECT_EQ(spliced(), spliced_after) << "small messages are not worth a splice";
  }
  Transfer(stream, "");
  EXPECT_EQ(Difference(stream.got, wanted), "");
  EXPECT_EQ(engine().stats().copied_bytes + spliced(), wanted.size());
}

TEST_P(UrgentTest, SpliceToASlowReader) {
  const std::string data = Pattern(3 << 20);
  Stream stream = NewStream({.send = 256 << 10, .receive = 256 << 10});
  Start(*stream.pump);
  Transfer(stream, data, /*read_limit=*/100'000);
  EXPECT_EQ(Difference(stream.got, data), "");
  EXPECT_EQ(spliced() > 0, GetParam().splices);
}

TEST_P(UrgentTest, CancelWithBytesInThePipe) {
  const std::string data = Pattern(8 << 20);
  for (int round = 0; round < 2; ++round) {
    Stream stream = NewStream({.send = 256 << 10, .receive = 256 << 10});
    Start(*stream.pump);
    Stall(stream, data);
    Cancel(*stream.pump);
    ASSERT_TRUE(RunUntilEnded(*stream.pump));
  }
  // Nobody may meet the bytes of those before.
  Stream stream = NewStream();
  Start(*stream.pump);
  Transfer(stream, data);
  EXPECT_EQ(Difference(stream.got, data), "");
}

L4LB_FOR_EVERY_ENGINE(UrgentTest);

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "tools/load/pattern.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/support/dice.h"
#include "tools/load/ask.h"

namespace l4lb::load {
namespace {

class PatternTest : public testing::Test {
 protected:
  std::string Bytes(uint64_t key, uint64_t position, size_t size) const {
    std::string bytes;
    while (bytes.size() < size) bytes.push_back(*pattern_.At(key, position + bytes.size()));
    return bytes;
  }

  const Pattern pattern_;
  Dice dice_{std::random_device{}()};
};

TEST_F(PatternTest, APlaceHasOneByteHoweverItIsReached) {
  SCOPED_TRACE(testing::Message() << "seed " << dice_.seed());
  for (int i = 0; i < 200; ++i) {
    const uint64_t key = dice_.Below(1000);
    const uint64_t position = dice_.Below(4 * Pattern::kPeriod);
    const size_t size = 1 + dice_.Below(3000);
    const std::string bytes = Bytes(key, position, size);
    EXPECT_EQ(bytes, std::string(pattern_.At(key, position), size));
    EXPECT_EQ(pattern_.FirstWrong(key, position, bytes.data(), size), std::nullopt);
  }
}

TEST_F(PatternTest, ReadsMayBeLongerThanARun) {
  const std::string bytes = Bytes(7, 5, Pattern::kRun + 1000);
  EXPECT_EQ(pattern_.FirstWrong(7, 5, bytes.data(), bytes.size()), std::nullopt);
  std::string wrong = bytes;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_EQ(pattern_.FirstWrong(7, 5, wrong.data(), wrong.size()), wrong.size() - 1);
}

TEST_F(PatternTest, EveryFlippedBitIsFoundWhereItIs) {
  SCOPED_TRACE(testing::Message() << "seed " << dice_.seed());
  for (int i = 0; i < 500; ++i) {
    std::string bytes = Bytes(3, 100, 2000);
    const size_t place = dice_.Below(bytes.size());
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << dice_.Below(8)));
    EXPECT_EQ(pattern_.FirstWrong(3, 100, bytes.data(), bytes.size()), place);
  }
}

TEST_F(PatternTest, LossRepetitionAndMixingShowAtOnce) {
  SCOPED_TRACE(testing::Message() << "seed " << dice_.seed());
  for (int i = 0; i < 500; ++i) {
    const uint64_t position = dice_.Below(10 * Pattern::kPeriod);
    const int64_t shift = dice_.Between(1, 400'000) * (dice_.Chance(0.5) ? 1 : -1);
    const uint64_t is = position + static_cast<uint64_t>(shift) + Pattern::kPeriod;
    const std::string moved = Bytes(1, is, 64);
    // Some bytes agree by chance, eight in a row do not.
    const std::optional<size_t> wrong = pattern_.FirstWrong(1, position, moved.data(), 64);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_LT(*wrong, 8u);
    EXPECT_EQ(pattern_.Shift(1, position, moved.data(), moved.size()), shift);
    const std::string foreign = Bytes(2 + dice_.Below(1000), position, 64);
    EXPECT_TRUE(pattern_.FirstWrong(1, position, foreign.data(), 64).has_value());
  }
}

TEST_F(PatternTest, ForeignTextIsInNoStream) {
  const std::string text = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(pattern_.Shift(1, 0, text.data(), text.size()), std::nullopt);
  EXPECT_EQ(pattern_.Shift(1, 0, pattern_.At(1, 0), 3), std::nullopt);  // too few to tell
}

TEST(AskTest, WhatIsWrittenIsRead) {
  const Ask ask = {.mode = Mode::kAnswer,
                   .verify = true,
                   .close_first = true,
                   .fate = Fate::kReset,
                   .size = 70'000,
                   .limit = uint64_t{1} << 40,
                   .key = UINT64_MAX};
  const std::optional<Ask> read = Ask::FromBytes(ask.ToBytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->mode, ask.mode);
  EXPECT_TRUE(read->verify);
  EXPECT_TRUE(read->close_first);
  EXPECT_EQ(read->fate, Fate::kReset);
  EXPECT_EQ(read->size, ask.size);
  EXPECT_EQ(read->limit, ask.limit);
  EXPECT_EQ(read->key, ask.key);
}

TEST(AskTest, OtherBytesAreRefused) {
  Ask::Bytes bytes = Ask{}.ToBytes();
  bytes[0] = static_cast<char>(bytes[0] ^ 1);
  EXPECT_FALSE(Ask::FromBytes(bytes).has_value());
  bytes = Ask{}.ToBytes();
  bytes[4] = 100;  // no such mode
  EXPECT_FALSE(Ask::FromBytes(bytes).has_value());
  EXPECT_FALSE(Ask::FromBytes(Ask{.mode = Mode::kAsk}.ToBytes()).has_value());  // for ever
}

TEST(VerdictTest, WhatIsWrittenIsRead) {
  const Verdict read = Verdict::FromBytes(Verdict{123, 45}.ToBytes());
  EXPECT_EQ(read.received, 123u);
  EXPECT_EQ(read.first_wrong, 45u);
}

}  // namespace
}  // namespace l4lb::load

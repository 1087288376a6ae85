// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/units.h"

#include <gtest/gtest.h>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

TEST(UnitsTest, WholeNumbers) {
  EXPECT_EQ(ParseWholeNumber("0"), 0);
  EXPECT_EQ(ParseWholeNumber("-17"), -17);
  EXPECT_EQ(ParseWholeNumber("9223372036854775807"), kHugeNumber);
  EXPECT_EQ(ParseWholeNumber("-99999999999999999999999"), -kHugeNumber);
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1e3", "0x10", "1_000", "1.0", "--1", "9001x"}) {
    EXPECT_EQ(ParseWholeNumber(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, Durations) {
  EXPECT_EQ(ParseDurationMs("250ms"), 250);
  EXPECT_EQ(ParseDurationMs("5s"), 5'000);
  EXPECT_EQ(ParseDurationMs("1h30m"), 5'400'000);
  EXPECT_EQ(ParseDurationMs("1d1ms"), 86'400'001);
  EXPECT_EQ(ParseDurationMs("0"), 0);
  EXPECT_EQ(ParseDurationMs("0s"), 0);
  EXPECT_EQ(ParseDurationMs("99999999999999999999d"), kHugeNumber);
  for (const char* text : {"", "5", "s", "-5s", "1e3", "1.5s", "5 s", "5s ", "5S", "1h30", "5us"}) {
    EXPECT_EQ(ParseDurationMs(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, Sizes) {
  EXPECT_EQ(ParseSize("4096"), 4096);
  EXPECT_EQ(ParseSize("16KiB"), 16 << 10);
  EXPECT_EQ(ParseSize("3GiB"), int64_t{3} << 30);
  EXPECT_EQ(ParseSize("99999999999999999GiB"), kHugeNumber);
  for (const char* text : {"", "KiB", "16K", "16kb", "16 KiB", "-1", "1.5MiB"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(UnitsTest, FormatsAsPeopleWrite) {
  EXPECT_EQ(FormatDurationMs(0), "0s");
  EXPECT_EQ(FormatDurationMs(250), "250ms");
  EXPECT_EQ(FormatDurationMs(60'000), "1m");
  EXPECT_EQ(FormatDurationMs(5'400'000), "1h30m");
  EXPECT_EQ(FormatDurationMs(24 * 3'600'000), "24h");
  EXPECT_EQ(FormatDurationMs(int64_t{365} * 86'400'000), "365d");
  EXPECT_EQ(FormatSize(0), "0");
  EXPECT_EQ(FormatSize(1500), "1500");
  EXPECT_EQ(FormatSize(64 << 10), "64KiB");
  EXPECT_EQ(FormatSize(1 << 20), "1MiB");
}

TEST(UnitsTest, FormatReadsBack) {
  Dice dice(20);
  for (int i = 0; i < 2000; ++i) {
    const int64_t number = dice.Between(0, int64_t{1} << dice.Between(0, 50));
    EXPECT_EQ(ParseDurationMs(FormatDurationMs(number)), number);
    EXPECT_EQ(ParseSize(FormatSize(number)), number);
  }
}

TEST(UnitsTest, Suggestions) {
  EXPECT_EQ(SuggestDuration("5"), "5s");
  EXPECT_EQ(SuggestDuration("5 sec"), "5s");
  EXPECT_EQ(SuggestDuration("2 Minutes"), "2m");
  EXPECT_EQ(SuggestDuration("250 millis"), "250ms");
  EXPECT_EQ(SuggestDuration("1e3"), "");
  EXPECT_EQ(SuggestDuration("soon"), "");
  EXPECT_EQ(SuggestSize("16k"), "16KiB");
  EXPECT_EQ(SuggestSize("16 kb"), "16KiB");
  EXPECT_EQ(SuggestSize("1M"), "1MiB");
  EXPECT_EQ(SuggestSize("512 bytes"), "512");
  EXPECT_EQ(SuggestSize("16x"), "");
}

TEST(UnitsTest, Percent) {
  EXPECT_EQ(ParsePercent("1.25"), 125);
  EXPECT_EQ(ParsePercent("1.5"), 150);
  EXPECT_EQ(ParsePercent("2"), 200);
  EXPECT_EQ(ParsePercent("0"), 0);
  EXPECT_EQ(ParsePercent("100.01"), 10'001);
  for (const char* wrong : {"", ".", "1.", ".5", "1.255", "-1", "1,5", "1.x", "1.-5", "x", "1.5.5",
                            "99999999999999999999"}) {
    EXPECT_EQ(ParsePercent(wrong), std::nullopt) << wrong;
  }
  for (const int64_t percent : {0, 1, 10, 100, 101, 110, 125, 12'345}) {
    EXPECT_EQ(ParsePercent(FormatPercent(percent)), percent) << FormatPercent(percent);
  }
  EXPECT_EQ(FormatPercent(150), "1.5");
  EXPECT_EQ(FormatPercent(105), "1.05");
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/check_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace l4lb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string HexError(absl::string_view text) {
  std::string bytes = "before";
  std::string error;
  EXPECT_FALSE(ParseHexBytes(text, &bytes, &error)) << text;
  EXPECT_EQ(bytes, "before");
  return error;
}

std::string StatusError(absl::string_view text) {
  std::vector<std::pair<int, int>> ranges = {{1, 2}};
  std::string error;
  EXPECT_FALSE(ParseStatusRanges(text, &ranges, &error)) << text;
  EXPECT_THAT(ranges, ElementsAre(Pair(1, 2)));
  return error;
}

TEST(CheckValuesTest, HexBytes) {
  std::string bytes;
  std::string error;
  for (const char* text : {"50494e47", "50 49 4e 47", " 5049  4E47 "}) {
    EXPECT_TRUE(ParseHexBytes(text, &bytes, &error)) << text << error;
    EXPECT_EQ(bytes, "PING") << text;
  }
  EXPECT_TRUE(ParseHexBytes("00 ff 7F", &bytes, &error));
  EXPECT_EQ(bytes, std::string("\0\xff\x7f", 3));
  EXPECT_TRUE(ParseHexBytes("", &bytes, &error));
  EXPECT_EQ(bytes, "");
}

TEST(CheckValuesTest, HexBytesThatAreNone) {
  EXPECT_EQ(HexError("504"), "the digit \"4\", character 3, has no second one");
  EXPECT_EQ(HexError("5 0 49"), "the digit \"5\", character 1, has no second one");
  EXPECT_EQ(HexError("0x50"), "\"x\", character 2, is no hex digit");
  EXPECT_EQ(HexError("50 4g"), "\"g\", character 5, is no hex digit");
  EXPECT_EQ(HexError("50\n49"), "\"?\", character 3, is no hex digit");
  EXPECT_EQ(HexError("\xc3\xa4"), "\"?\", character 1, is no hex digit");
}

TEST(CheckValuesTest, StatusRanges) {
  std::vector<std::pair<int, int>> ranges;
  std::string error;
  EXPECT_TRUE(ParseStatusRanges("200-399", &ranges, &error));
  EXPECT_THAT(ranges, ElementsAre(Pair(200, 399)));
  EXPECT_TRUE(ParseStatusRanges("200,204,300-399", &ranges, &error));
  EXPECT_THAT(ranges, ElementsAre(Pair(200, 200), Pair(204, 204), Pair(300, 399)));
  EXPECT_TRUE(ParseStatusRanges("100,599-599", &ranges, &error));
  EXPECT_THAT(ranges, ElementsAre(Pair(100, 100), Pair(599, 599)));
}

TEST(CheckValuesTest, StatusRangesThatAreNone) {
  EXPECT_EQ(StatusError(""), "is empty");
  EXPECT_EQ(StatusError("2xx"), "\"2xx\" is neither a status nor a range of them");
  EXPECT_EQ(StatusError("200,,204"), "\"\" is neither a status nor a range of them");
  EXPECT_EQ(StatusError("200-"), "\"200-\" is neither a status nor a range of them");
  EXPECT_EQ(StatusError("-200"), "\"-200\" is neither a status nor a range of them");
  EXPECT_EQ(StatusError("200--300"), "\"-300\" is no status: it must be 100 to 599");
  EXPECT_EQ(StatusError("200-600"), "\"600\" is no status: it must be 100 to 599");
  EXPECT_EQ(StatusError("99"), "\"99\" is no status: it must be 100 to 599");
  EXPECT_EQ(StatusError("99999999999999999999"),
            "\"99999999999999999999\" is no status: it must be 100 to 599");
  EXPECT_EQ(StatusError("399-200"), "\"399-200\" ends before it begins");
}

TEST(CheckValuesTest, Regexes) {
  std::string error;
  for (const char* right : {"", "^\\+PONG\r\n", "(?i)ready|ok", "\\xff\\x00", "a{1,3}"}) {
    EXPECT_TRUE(CheckRegex(right, &error)) << right << error;
  }
  EXPECT_FALSE(CheckRegex("(PONG", &error));
  EXPECT_THAT(error, HasSubstr("missing )"));
  EXPECT_FALSE(CheckRegex("(?=x)", &error)) << "RE2 looks at each byte once";
  EXPECT_FALSE(CheckRegex("a{1000}{1000}", &error)) << "or takes too much memory";
}

}  // namespace
}  // namespace l4lb

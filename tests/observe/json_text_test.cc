// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240610;

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonTextTest, PlainTextIsQuoted) {
  EXPECT_EQ(Json(""), R"("")");
  EXPECT_EQ(Json("pg-1 [::1]:80"), R"("pg-1 [::1]:80")");
}

TEST(JsonTextTest, EscapesWhatJsonMustEscape) {
  EXPECT_EQ(Json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Json(std::string_view("\n\t\0\x1f", 4)), R"("\u000a\u0009\u0000\u001f")");
}

TEST(JsonTextTest, KeepsUtf8) {
  EXPECT_EQ(Json("gr\xC3\xB6\xC3\x9F"
                 "e \xE2\x82\xAC"),
            "\"gr\xC3\xB6\xC3\x9F"
            "e \xE2\x82\xAC\"");
  EXPECT_EQ(Json("\xF0\x9F\x90\x98"), "\"\xF0\x9F\x90\x98\"");
}

TEST(JsonTextTest, ReplacesWhatIsNotUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(Json("a\xFFz"), "\"a" + bad + "z\"");
  EXPECT_EQ(Json("\xC3"), "\"" + bad + "\"");                                // Cut short.
  EXPECT_EQ(Json("\xC0\xAF"), "\"" + bad + bad + "\"");                      // Overlong.
  EXPECT_EQ(Json("\xE0\x80\x80"), "\"" + bad + bad + bad + "\"");            // Overlong.
  EXPECT_EQ(Json("\xED\xA0\x80"), "\"" + bad + bad + bad + "\"");            // A surrogate.
  EXPECT_EQ(Json("\xF4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // Above U+10FFFF.
}

TEST(JsonTextTest, AnyBytesGiveValidJson) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const std::vector<std::string> pieces = {"a",
                                           "\"",
                                           "\\",
                                           "\n",
                                           "\xC3\xA4",
                                           "\xE2\x82\xAC",
                                           "\xF0\x9F\x90\x98",
                                           "\xED\x9F\xBF",
                                           "\xEE\x80\x80"};
  for (int i = 0; i < 5'000; ++i) {
    std::string valid;
    for (uint64_t n = dice.Below(8); n > 0; --n) valid += pieces[dice.Below(pieces.size())];
    ASSERT_EQ(nlohmann::json::parse(Json(valid)).get<std::string>(), valid);
    std::string any = valid;
    for (uint64_t n = dice.Below(4); n > 0; --n) {
      any.insert(dice.Below(any.size() + 1), 1, static_cast<char>(dice.Below(256)));
    }
    ASSERT_TRUE(nlohmann::json::accept(Json(any))) << Json(any);
  }
}

}  // namespace
}  // namespace l4lb

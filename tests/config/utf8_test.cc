// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/utf8.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

TEST(Utf8Test, TakesCharacters) {
  absl::string_view text = "a\u00e9\u20ac\U0001F600";
  EXPECT_EQ(TakeCharacter(&text), U'a');
  EXPECT_EQ(TakeCharacter(&text), U'\u00e9');
  EXPECT_EQ(TakeCharacter(&text), U'\u20ac');
  EXPECT_EQ(TakeCharacter(&text), U'\U0001F600');
  EXPECT_TRUE(text.empty());
}

TEST(Utf8Test, WrongBytesAreTakenOneByOne) {
  const absl::string_view wrong[] = {
      "\x80",              // Continuation without a start.
      "\xC3",              // Cut short.
      "\xC0\xAF",          // Overlong.
      "\xE0\x80\x80",      // Overlong.
      "\xED\xA0\x80",      // Surrogate.
      "\xF4\x90\x80\x80",  // Above U+10FFFF.
      "\xFF",
  };
  for (absl::string_view text : wrong) {
    const size_t size = text.size();
    EXPECT_EQ(TakeCharacter(&text), kInvalidUtf8);
    EXPECT_EQ(text.size(), size - 1);
  }
}

TEST(Utf8Test, Counts) {
  EXPECT_EQ(CountCharacters(""), 0u);
  EXPECT_EQ(CountCharacters("na\u00efve"), 5u);
  EXPECT_EQ(CountCharacters("\xFF\xFF"), 2u);
}

TEST(Utf8Test, ReplacesWhatDisturbsATerminal) {
  EXPECT_EQ(Printable("\u00fcber"), "\u00fcber");
  EXPECT_EQ(Printable("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(Printable("a\u202eb\u200bc\ufeff\u0085"), "a?b?c??");
  EXPECT_EQ(Printable("\xFFx"), "?x");
  EXPECT_TRUE(IsPrintableText("\u65e5\u672c"));
  EXPECT_FALSE(IsPrintableText("tab\t"));
}

TEST(Utf8Test, Quotes) {
  EXPECT_EQ(Quoted("a\x1b"), "\"a?\"");
  EXPECT_EQ(Quoted(std::string(60, 'x')), "\"" + std::string(60, 'x') + "\"");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "\"" + std::string(60, 'x') + "\"...");
}

}  // namespace
}  // namespace l4lb

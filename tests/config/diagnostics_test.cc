// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace l4lb {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Span Find(absl::string_view text, absl::string_view part) {
  const size_t begin = text.find(part);
  return {begin, begin + part.size()};
}

TEST(DiagnosticsTest, ShowsPlaceExcerptCaretAndHint) {
  const absl::string_view text = "a: 1\n  max_conections: 100\n";
  Diagnostics diagnostics("x.yaml", text);
  diagnostics.Add(Find(text, "max_conections"), "unknown key", "did you mean it?");
  EXPECT_EQ(diagnostics.ToString(),
            "x.yaml:2:3: unknown key\n"
            "  2 |   max_conections: 100\n"
            "    |   ^^^^^^^^^^^^^^ did you mean it?\n"
            "1 error");
}

TEST(DiagnosticsTest, SortsByPlace) {
  Diagnostics diagnostics("x", "a\nb\nc");
  diagnostics.Add({4, 5}, "third");
  diagnostics.Add({0, 1}, "first");
  diagnostics.Add({2, 3}, "second");
  EXPECT_EQ(diagnostics.ToString(),
            "x:1:1: first\n  1 | a\n    | ^\n"
            "x:2:1: second\n  2 | b\n    | ^\n"
            "x:3:1: third\n  3 | c\n    | ^\n3 errors");
}

TEST(DiagnosticsTest, ShowsAtMostTwenty) {
  Diagnostics diagnostics("x", "a");
  for (int i = 0; i < 37; ++i) diagnostics.Add({0, 1}, absl::StrCat("error ", i, "."));
  EXPECT_THAT(diagnostics.ToString(), HasSubstr("error 19."));
  EXPECT_THAT(diagnostics.ToString(), Not(HasSubstr("error 20.")));
  EXPECT_THAT(diagnostics.ToString(), EndsWith("\n37 errors, the first 20 shown"));
}

TEST(DiagnosticsTest, ColumnsCountCharactersAndTabsStay) {
  const absl::string_view text = "\t\u00fc\u20ac: x\r\n";
  Diagnostics diagnostics("x", text);
  diagnostics.Add(Find(text, "x"), "wrong");
  EXPECT_EQ(diagnostics.ToString(),
            "x:1:6: wrong\n  1 | \t\u00fc\u20ac: x\n    | \t    ^\n1 error");
}

TEST(DiagnosticsTest, LongLinesAreCut) {
  const std::string text = absl::StrCat(std::string(5000, 'a'), "HERE", std::string(5000, 'b'));
  Diagnostics diagnostics("x", text);
  diagnostics.Add(Find(text, "HERE"), "wrong");
  const std::string shown = diagnostics.ToString();
  EXPECT_LT(shown.size(), 400u);
  EXPECT_THAT(shown, HasSubstr("x:1:5001: wrong\n"));
  EXPECT_THAT(shown, HasSubstr(absl::StrCat("\n  1 | ...", std::string(60, 'a'), "HERE", "bb")));
  EXPECT_THAT(shown, HasSubstr(absl::StrCat("\n    | ", std::string(63, ' '), "^^^^\n")));
}

TEST(DiagnosticsTest, ExcerptCannotDisturbATerminal) {
  const absl::string_view text = "a\x1b[2J\xFFz";
  Diagnostics diagnostics("x", text);
  diagnostics.Add(Find(text, "z"), "wrong");
  EXPECT_EQ(diagnostics.ToString(), "x:1:7: wrong\n  1 | a?[2J?z\n    |       ^\n1 error");
}

TEST(DiagnosticsTest, ManyWrongBytesInARow) {
  const std::string text(500, '\x80');
  for (size_t begin = 0; begin <= text.size(); ++begin) {
    Diagnostics diagnostics("x", text);
    diagnostics.Add({begin, text.size()}, "wrong");
    EXPECT_THAT(diagnostics.ToString(), HasSubstr("^\n1 error"));
  }
}

TEST(DiagnosticsTest, PlacesAtTheVeryEnd) {
  for (absl::string_view text : {"", "a", "a\n", "\n\n"}) {
    Diagnostics diagnostics("x", text);
    diagnostics.Add({text.size(), text.size() + 3}, "wrong");
    EXPECT_THAT(diagnostics.ToString(), HasSubstr("^")) << "\"" << text << "\"";
  }
}

TEST(DiagnosticsTest, OffsetsAndPlacesAreInverse) {
  const absl::string_view text = "a\u00fcb\n\ncd";
  Diagnostics diagnostics("x", text);
  EXPECT_EQ(diagnostics.OffsetOf(1, 3), 3u);
  EXPECT_EQ(diagnostics.LineOf(6), 3u);
  EXPECT_EQ(diagnostics.ColumnOf(7), 2u);
  EXPECT_EQ(diagnostics.OffsetOf(3, 2), 7u);
  EXPECT_EQ(diagnostics.OffsetOf(2, 9), 5u) << "cut to the end of the line";
  EXPECT_EQ(diagnostics.OffsetOf(99, 1), 6u) << "cut to the last line";
}

}  // namespace
}  // namespace l4lb

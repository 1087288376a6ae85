// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/report.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tools/skew/sample_run.h"

namespace l4lb::skew {
namespace {

using testing::HasSubstr;

TEST(Table, FitsATerminalAndSaysNever) {
  const Options options = SampleOptions();
  const std::string text = TableText(options, SampleOutcome(options).figures);
  for (const auto line : absl::StrSplit(text, '\n')) {
    const bool sentence = absl::StartsWith(line, "In the ");
    EXPECT_TRUE(sentence || line.size() <= 100) << line;
  }
  EXPECT_THAT(text, HasSubstr("least_connections                    0.0 %    never      0"));
  EXPECT_THAT(text, HasSubstr("holds    at layer 4 without"));
}

TEST(Csv, HasALineForEachModeAndBackend) {
  const Options options = SampleOptions();
  const std::string text = CsvText(options, SampleOutcome(options).figures);
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[3],
            "least_connections,c,1,0,0.000000,0,0.000000,0,0.000000,0.333333,,0,0,0,2.000,2.000,"
            "0.6667");
  const size_t columns = std::count(lines[0].begin(), lines[0].end(), ',');
  EXPECT_EQ(std::count(lines[3].begin(), lines[3].end(), ','), columns);
}

TEST(Csv, LeavesEmptyWhatDidNotCome) {
  const Options options = SampleOptions();
  ModeRun run = SampleRun(options, Mode::kP2c, 6000);
  run.schedule.EndAt(1'000'000'000);
  const std::string text = CsvText(options, {FiguresOf(options, run)});
  EXPECT_THAT(text, HasSubstr("p2c,a,0,30,0.500000,,,,,0.333333,,0,0,0,"));
}

}  // namespace
}  // namespace l4lb::skew

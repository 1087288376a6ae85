// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "l4lb/config/argument_scanner.h"
#include "l4lb/config/flag_table.h"
#include "l4lb/config/load.h"

namespace l4lb {
namespace {

using ::testing::HasSubstr;

TEST(HelpTest, ShowsEveryFlagAndExitStatus) {
  const std::string help = HelpText();
  for (const Flag& flag : AllFlags()) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n  --", flag.name)));
  }
  for (const ExitStatus& status : ExitStatuses()) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n  ", status.status, "  ", status.meaning)));
  }
  EXPECT_THAT(help, HasSubstr("--idle_timeout=DURATION"));
  EXPECT_THAT(help, HasSubstr("(default 1h)"));
  EXPECT_THAT(help, HasSubstr("--policy=round_robin|random|least_connections|p2c"));
  EXPECT_THAT(help, HasSubstr("unix:/path"));
}

TEST(HelpTest, FitsATerminal) {
  for (absl::string_view line : absl::StrSplit(HelpText(), '\n'))
    EXPECT_LE(line.size(), 110u) << line;
}

TEST(HelpTest, ExamplesAreRight) {
  for (const Example& example : Examples()) {
    std::vector<absl::string_view> words = absl::StrSplit(example.command, ' ');
    EXPECT_EQ(words[0], "l4lb");
    words.erase(words.begin());
    FlagErrors errors;
    ScanArguments(words, &errors);
    EXPECT_EQ(errors.ToString(), "") << example.command;
  }
}

TEST(HelpTest, TheExampleFileLoads) {
  const absl::StatusOr<Config> config = ParseConfig("example", std::string(ExampleFile()));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->pools[0].backends.size(), 2u);
}

}  // namespace
}  // namespace l4lb

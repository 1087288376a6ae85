// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/command_line.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

using testing::HasSubstr;
using testing::Not;

// A program without verbs.
CommandLine<int> Plain(const std::vector<std::string>& arguments) {
  CLI::App app("Counts", "counter");
  int nodes = 1;
  app.add_option("--nodes", nodes, "How many");
  return Parse(&app, arguments, [&]() -> CommandLine<int> {
    if (nodes < 0) return {.ending = Wrong("counter", "--nodes: 0 or more")};
    if (nodes > 9) throw CLI::ValidationError("--nodes", "9 or less");
    return {.options = nodes};
  });
}

CommandLine<int> WithVerbs(const std::vector<std::string>& arguments) {
  CLI::App app("Counts", "counter");
  app.require_subcommand(1);
  int up = 0;
  int down = 0;
  app.add_subcommand("climb", "Up")->add_option("--steps", up, "How far up");
  app.add_subcommand("descend", "Down")->add_option("--depth", down, "How far down");
  return Parse(&app, arguments, [&]() -> CommandLine<int> { return {.options = up - down}; });
}

std::string TextOfWrong(const CommandLine<int>& line) {
  EXPECT_TRUE(line.ending.has_value());
  if (!line.ending.has_value()) return "";
  EXPECT_EQ(line.ending->exit_status, 2);
  return line.ending->text;
}

std::string TextOfHelp(const CommandLine<int>& line) {
  EXPECT_TRUE(line.ending.has_value());
  if (!line.ending.has_value()) return "";
  EXPECT_EQ(line.ending->exit_status, 0);
  return line.ending->text;
}

TEST(CommandLine, WhatIsRightIsFinished) {
  const CommandLine<int> plain = Plain({"--nodes", "7"});
  EXPECT_FALSE(plain.ending.has_value());
  EXPECT_EQ(plain.options, 7);
  EXPECT_EQ(WithVerbs({"descend", "--depth=3"}).options, -3);
}

TEST(CommandLine, WhatIsWrongIsOneLineOfTheProgram) {
  EXPECT_EQ(TextOfWrong(Plain({"--nodes=-1"})), "counter: --nodes: 0 or more\n");
  EXPECT_EQ(TextOfWrong(Plain({"--nodes=10"})), "counter: --nodes: 9 or less\n");
  EXPECT_THAT(TextOfWrong(Plain({"--nodes=ten"})), HasSubstr("--nodes"));
}

TEST(CommandLine, TheNearestFlagIsNamed) {
  EXPECT_THAT(TextOfWrong(Plain({"--node=3"})), HasSubstr("; did you mean \"--nodes\"?\n"));
  EXPECT_THAT(TextOfWrong(Plain({"--nodes=3", "-nodes"})), HasSubstr("did you mean \"--nodes\"?"));
  EXPECT_THAT(TextOfWrong(Plain({"--colour=red"})), Not(HasSubstr("did you mean")));
  EXPECT_THAT(TextOfWrong(Plain({"surplus"})), HasSubstr("surplus"));
}

TEST(CommandLine, TheNearestVerbOrItsFlagIsNamed) {
  EXPECT_THAT(TextOfWrong(WithVerbs({"clim"})), HasSubstr("did you mean \"climb\"?"));
  EXPECT_THAT(TextOfWrong(WithVerbs({"climb", "--step=2"})),
              HasSubstr("did you mean \"--steps\"?"));
  // --depth is a flag of another verb.
  EXPECT_THAT(TextOfWrong(WithVerbs({"climb", "--dept=2"})), Not(HasSubstr("did you mean")));
  EXPECT_THAT(TextOfWrong(WithVerbs({})), HasSubstr("subcommand"));
}

TEST(CommandLine, HelpIsOfTheVerbThatWasGiven) {
  EXPECT_THAT(TextOfHelp(Plain({"--help"})), HasSubstr("--nodes"));
  EXPECT_THAT(TextOfHelp(WithVerbs({"--help"})), HasSubstr("descend"));
  EXPECT_THAT(TextOfHelp(WithVerbs({"climb", "--help"})), HasSubstr("--steps"));
}

TEST(CommandLine, HelpGoesToStdoutAndErrorsToStderr) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(Tell({.exit_status = 0, .text = "help\n"}), 0);
  EXPECT_EQ(Tell({.exit_status = 2, .text = "wrong\n"}), 2);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "help\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "wrong\n");
}

TEST(CommandText, QuotesWhatAShellWouldCutApart) {
  EXPECT_EQ(CommandText("l4lb-skew", {}), "l4lb-skew");
  EXPECT_EQ(CommandText("x", {"--html=/tmp/a b.html", "--seed=7", "", "it's"}),
            "x '--html=/tmp/a b.html' --seed=7 '' 'it'\\''s'");
}

}  // namespace
}  // namespace l4lb::kit

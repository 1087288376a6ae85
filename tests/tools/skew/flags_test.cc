// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/skew/open_files.h"

namespace l4lb::skew {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Error(const std::vector<std::string>& arguments) {
  const auto line = ParseCommandLine(arguments);
  EXPECT_TRUE(line.ending.has_value() && line.ending->exit_status == 2);
  return line.ending.has_value() ? line.ending->text : "";
}

TEST(Flags, RunsEverythingByDefault) {
  const auto line = ParseCommandLine({});
  EXPECT_FALSE(line.ending.has_value());
  EXPECT_EQ(line.options.modes.size(), Modes().size());
  EXPECT_EQ(line.options.command, "l4lb-skew");
  EXPECT_EQ(line.options.add_at_ms, 3000);
  EXPECT_EQ(line.options.all_backends(), 4);
}

TEST(Flags, TakesModesInTheOrderOfTheStory) {
  const auto line = ParseCommandLine({"--modes=client,age,maglev", "--age=2s"});
  EXPECT_THAT(line.options.modes, ElementsAre(Mode::kMaglev, Mode::kAge, Mode::kClient));
  EXPECT_EQ(line.options.max_connection_age_ms, 2000);
}

TEST(Flags, AddsEarlierInAShorterRun) {
  EXPECT_EQ(ParseCommandLine({"--duration=4s"}).options.add_at_ms, 1200);
  EXPECT_EQ(ParseCommandLine({"--duration=1s"}).options.add_at_ms, 500);
  EXPECT_EQ(ParseCommandLine({"--duration=4s", "--add_at=2s"}).options.add_at_ms, 2000);
}

TEST(Flags, RemovesHalfwayWhenNotTold) {
  EXPECT_EQ(ParseCommandLine({"--remove=1"}).options.remove_at_ms, 6500);
  EXPECT_EQ(ParseCommandLine({"--remove=1", "--add=0"}).options.remove_at_ms, 5000);
  EXPECT_EQ(ParseCommandLine({"--remove=1", "--remove_at=8s"}).options.remove_at_ms, 8000);
}

TEST(Flags, ManyConnectionsNeedManyOpenFiles) {
  EXPECT_LT(OpenFilesOf(ParseCommandLine({}).options), 1000);
  EXPECT_GT(OpenFilesOf(ParseCommandLine({"--clients=1000", "--modes=client"}).options), 8000);
  EXPECT_GT(OpenFilesOf(ParseCommandLine({"--clients=1000", "--modes=p2c"}).options), 4000);
}

TEST(Flags, SayWhatWouldBeRight) {
  EXPECT_THAT(Error({"--client=3"}), HasSubstr("did you mean \"--clients\"?"));
  EXPECT_THAT(Error({"--modes=robin"}), HasSubstr("'robin' is none of age, client,"));
  EXPECT_THAT(Error({"--duration=5"}), HasSubstr("not a duration such as 250ms"));
  EXPECT_THAT(Error({"--add_at=10s"}), HasSubstr("before the end"));
  EXPECT_THAT(Error({"--rate=nan"}), HasSubstr("'nan' is not a number from 1 to 50000"));
  EXPECT_THAT(Error({"--modes=layer7", "--l7=none"}), HasSubstr("says that there is none"));
  EXPECT_THAT(Error({"--service_time=11s"}), HasSubstr("from 1ms to 10s"));
  EXPECT_THAT(Error({"--remove=4"}), HasSubstr("only of the first ones"));
  EXPECT_THAT(Error({"--backends=1", "--add=0", "--remove=1"}), HasSubstr("not all"));
  EXPECT_THAT(Error({"--remove=1", "--remove_at=3s"}),
              HasSubstr("half a second after --add_at and"));
  EXPECT_THAT(Error({"--json", "--csv"}), HasSubstr("one of the two"));
  EXPECT_THAT(Error({"--l7=envoy"}), HasSubstr("'envoy' is none of"));
  EXPECT_THAT(Error({"--service_time=0s"}), HasSubstr("from 1ms to 10s"));
}

}  // namespace
}  // namespace l4lb::skew

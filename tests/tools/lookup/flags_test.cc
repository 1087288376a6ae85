// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace l4lb::lookup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options Parsed(const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  EXPECT_FALSE(line.ending.has_value()) << line.ending->text;
  return line.options;
}

std::string Refused(const std::string& argument) {
  const CommandLine line = ParseCommandLine({argument});
  const kit::Ending ending = line.ending.value_or(kit::Ending{});
  EXPECT_EQ(ending.exit_status, 2) << argument;
  return ending.text;
}

TEST(Flags, Defaults) {
  const Options options = Parsed({});
  EXPECT_THAT(options.nodes, ElementsAre(10, 100, 1000));
  EXPECT_THAT(options.points, ElementsAre(40, 160, 256, 1000));
  EXPECT_THAT(options.table_sizes, ElementsAre(65537, 655373));
  EXPECT_EQ(options.effort.keys, 1'000'000);
  EXPECT_FALSE(options.json);
}

TEST(Flags, AreTakenInOrderAndOnce) {
  const Options options = Parsed({"--nodes=30,10,30", "--points=64", "--table_sizes=1009,101",
                                  "--keys=5000", "--seed=9", "--json", "--html=x.html"});
  EXPECT_THAT(options.nodes, ElementsAre(10, 30));
  EXPECT_THAT(options.points, ElementsAre(64));
  EXPECT_THAT(options.table_sizes, ElementsAre(101, 1009));
  EXPECT_EQ(options.effort.keys, 5'000);
  EXPECT_EQ(options.seed, 9);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.html, "x.html");
}

TEST(Flags, QuickIsSmallButForWhatIsAskedFor) {
  EXPECT_THAT(Parsed({"--quick"}).nodes, ElementsAre(10));
  EXPECT_EQ(Parsed({"--quick"}).effort.keys, 20'000);
  const Options options = Parsed({"--quick", "--nodes=50", "--keys=3000"});
  EXPECT_THAT(options.nodes, ElementsAre(50));
  EXPECT_EQ(options.effort.keys, 3'000);
  EXPECT_THAT(options.table_sizes, ElementsAre(65537));
}

TEST(Flags, WhatIsWrongIsSaid) {
  EXPECT_THAT(Refused("--table_sizes=65536"), HasSubstr("not prime; the next prime is 65537"));
  EXPECT_THAT(Refused("--table_sizes=997"), HasSubstr("997 slots are too few for 1001 nodes"));
  EXPECT_THAT(Refused("--points=90000"), HasSubstr("--points: 90000"));
  EXPECT_THAT(Refused("--nodes=1"), HasSubstr("--nodes"));
  EXPECT_THAT(Refused("--nodes=ten"), HasSubstr("--nodes"));
  EXPECT_THAT(Refused("--keys=0"), HasSubstr("--keys"));
  EXPECT_THAT(Refused("--node=10"), HasSubstr("did you mean \"--nodes\"?"));
  EXPECT_THAT(Refused("surplus"), HasSubstr("surplus"));
}

TEST(Flags, HelpIsStatus0) {
  const CommandLine line = ParseCommandLine({"--help"});
  ASSERT_TRUE(line.ending.has_value());
  EXPECT_EQ(line.ending->exit_status, 0);
  EXPECT_THAT(line.ending->text, HasSubstr("--table_sizes"));
}

}  // namespace
}  // namespace l4lb::lookup

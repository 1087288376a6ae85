// SPDX-License-Identifier: Apache-2.0
#include "tools/load/flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace l4lb::load {
namespace {

Options Parsed(const std::vector<std::string>& arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  EXPECT_FALSE(line.ending.has_value()) << line.ending->text;
  return std::get<Options>(line.options);
}

TEST(FlagsTest, EveryVerbHasItsDefaults) {
  const Options echo = Parsed({"echo", "--target=127.0.0.1:1"});
  EXPECT_EQ(echo.work, "echo");
  EXPECT_EQ(echo.duration_ms, 5000);
  EXPECT_EQ(echo.warmup_ms, 1000);
  EXPECT_EQ(echo.rate, 0);
  EXPECT_EQ(Parsed({"idle", "--target=127.0.0.1:1", "--hold=3s"}).duration_ms, 3000);
  EXPECT_EQ(Parsed({"idle", "--target=127.0.0.1:1"}).warmup_ms, 0);
  EXPECT_NE(Parsed({"churn", "--target=127.0.0.1:1"}).seed,
            Parsed({"churn", "--target=127.0.0.1:1"}).seed);
}

TEST(FlagsTest, ACountIsNotWarmedUpFor) {
  const Options options = Parsed({"echo", "--target=127.0.0.1:1", "--count=5"});
  EXPECT_EQ(options.warmup_ms, 0);
  EXPECT_EQ(options.duration_ms, 60'000);
  EXPECT_EQ(Parsed({"echo", "--target=:1", "--count=5", "--warmup=2s"}).warmup_ms, 2000);
}

TEST(FlagsTest, NoThreadIsWithoutWork) {
  EXPECT_EQ(Parsed({"echo", "--target=:1", "--connections=2", "--threads=8"}).threads, 2);
  EXPECT_EQ(
      Parsed({"connect", "--target=:1", "--concurrency=9", "--threads=8", "--count=3"}).threads, 3);
}

TEST(FlagsTest, SeveralTargetsAndSources) {
  const Options options =
      Parsed({"echo", "--target=127.0.0.1:1,127.0.0.1:2", "--sources=300", "--size=16KiB"});
  ASSERT_EQ(options.targets.size(), 2u);
  ASSERT_EQ(options.sources.size(), 300u);
  EXPECT_EQ(options.sources[0].ToString(), "127.0.0.1:0");
  EXPECT_EQ(options.sources[249].ToString(), "127.0.0.250:0");
  EXPECT_EQ(options.sources[250].ToString(), "127.0.1.1:0");
  EXPECT_EQ(options.size, 16 * 1024);
}

struct WrongLine {
  std::vector<std::string> arguments;
  std::string what;  // A part of the message.
};

class WrongLineTest : public testing::TestWithParam<WrongLine> {};

TEST_P(WrongLineTest, IsStatusTwoAndSaysWhatWouldBeRight) {
  const CommandLine line = ParseCommandLine(GetParam().arguments);
  ASSERT_TRUE(line.ending.has_value());
  EXPECT_EQ(line.ending->exit_status, 2);
  const std::string& text = line.ending->text;
  EXPECT_NE(text.find(GetParam().what), std::string::npos) << text;
}

const WrongLine kWrongLines[] = {
    {{}, "subcommand"},
    {{"eco", "--target=:1"}, "did you mean \"echo\"?"},
    {{"echo"}, "--target is required"},
    {{"echo", "--target=127.0.0.1"}, "127.0.0.1:PORT"},
    {{"echo", "--target=127.0.0.1:0"}, "needs a port"},
    {{"echo", "--target=:1", "--conections=5"}, "did you mean \"--connections\"?"},
    {{"echo", "--target=:1", "--connections=0"}, "1"},
    {{"echo", "--target=:1", "--size=1kb"}, "16KiB"},
    {{"echo", "--target=:1", "--size=0"}, "--size is 1 to"},
    {{"echo", "--target=:1", "--duration=5"}, "5s"},
    {{"echo", "--target=:1", "--duration=0"}, "1s or more"},
    {{"echo", "--target=[::1]:1", "--sources=2"}, "IPv4"},
    {{"connect", "--target=:1", "--close=server"}, "backend or client"},
    {{"connect", "--target=:1", "--size=1MiB"}, "--size is 1 to 65536"},
    {{"connect", "--target=:1", "--ask", "--size=31"}, "--size is 32 to"},
    {{"bulk", "--target=:1", "--direction=left"}, "both, down or up"},
    {{"bulk", "--target=:1", "--verify"}, "--ask"},
    {{"churn", "--target=:1", "--rate=5"}, "--rate"},
    {{"serve"}, "--listen is required"},
    {{"serve", "--listen=:0", "--mode=eco"}, "echo"},
    {{"serve", "--listen=:0", "--close_first"}, "--mode=answer"},
};

INSTANTIATE_TEST_SUITE_P(All, WrongLineTest, testing::ValuesIn(kWrongLines));

TEST(FlagsTest, HelpIsNoError) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"echo", "--help"}, {"serve", "--help"}}) {
    const CommandLine line = ParseCommandLine(arguments);
    ASSERT_TRUE(line.ending.has_value());
    EXPECT_EQ(line.ending->exit_status, 0);
    const std::string& text = line.ending->text;
    EXPECT_NE(text.find("l4lb-load"), std::string::npos) << text;
    EXPECT_EQ(text.find("--reconnect") != std::string::npos, arguments.front() == "echo") << text;
  }
}

}  // namespace
}  // namespace l4lb::load

// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/flag_values.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/kit/command_line.h"

namespace l4lb::kit {
namespace {

using testing::HasSubstr;

enum class Colour { kRed, kGreen };
const std::map<std::string, Colour> kColours = {{"red", Colour::kRed}, {"green", Colour::kGreen}};

struct Values {
  int64_t ms = 1500;
  int64_t bytes = 64;
  Colour colour = Colour::kRed;
  std::string help;
};

CommandLine<Values> Parsed(const std::vector<std::string>& arguments) {
  CLI::App app("Has values", "valued");
  Values values;
  AddDuration(&app, "--time", &values.ms, "How long");
  AddSize(&app, "--size", &values.bytes, "How much");
  AddChoice(&app, "--colour", &values.colour, kColours, "Which");
  return Parse(&app, arguments, [&]() -> CommandLine<Values> {
    values.help = app.help();
    return {.options = values};
  });
}

std::string Refused(const std::string& argument) {
  const CommandLine<Values> line = Parsed({argument});
  EXPECT_TRUE(line.ending.has_value()) << argument;
  return line.ending.value_or(Ending{}).text;
}

TEST(FlagValues, AreReadInTheUnitsOfTheConfiguration) {
  const Values values = Parsed({"--time=1m30s", "--size=16KiB", "--colour=green"}).options;
  EXPECT_EQ(values.ms, 90'000);
  EXPECT_EQ(values.bytes, 16 * 1024);
  EXPECT_EQ(values.colour, Colour::kGreen);
}

TEST(FlagValues, DefaultsStayAndAreInTheHelp) {
  const Values values = Parsed({}).options;
  EXPECT_EQ(values.ms, 1500);
  EXPECT_EQ(values.bytes, 64);
  EXPECT_EQ(values.colour, Colour::kRed);
  for (const char* shown : {"--time TIME=1s500ms ", "--size SIZE=64 ", "--colour green|red "}) {
    EXPECT_THAT(values.help, HasSubstr(shown));
  }
}

TEST(FlagValues, ErrorsSayWhatWouldBeRight) {
  EXPECT_THAT(Refused("--time=5"), HasSubstr("--time: '5' is not a duration such as 250ms"));
  EXPECT_THAT(Refused("--size=1kb"), HasSubstr("--size: '1kb' is not a size such as 64, 16KiB"));
  EXPECT_THAT(Refused("--colour=blue"), HasSubstr("--colour: 'blue' is none of green or red"));
}

TEST(Within, TakesNumbersAndNothingElse) {
  const CLI::Validator within = Within(0.5, 8);
  for (const char* good : {"0.5", "8", "1e0"}) EXPECT_EQ(within(std::string(good)), "") << good;
  for (const char* bad : {"0.49", "8.1", "nan", "inf", "-inf", "", "x"}) {
    EXPECT_THAT(within(std::string(bad)), HasSubstr("is not a number from 0.5 to 8")) << bad;
  }
}

TEST(ParseAddresses, TakesAllOrSaysWhichIsWrong) {
  const auto addresses = ParseAddresses("--target", {"127.0.0.1:80", "[::1]:81"});
  ASSERT_EQ(addresses.size(), 2u);
  EXPECT_EQ(addresses[0].ToString(), "127.0.0.1:80");
  EXPECT_EQ(addresses[1].ToString(), "[::1]:81");
  try {
    ParseAddresses("--target", {"127.0.0.1:80", "127.0.0.1"});
    ADD_FAILURE() << "an address without a port was taken";
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--target"));
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:PORT"));
  }
}

}  // namespace
}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/argument_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace l4lb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Scan(const std::vector<absl::string_view>& arguments) {
  FlagErrors errors;
  std::vector<std::string> found = ScanArguments(arguments, &errors);
  EXPECT_EQ(errors.ToString(), "");
  return found;
}

std::string Error(const std::vector<absl::string_view>& arguments) {
  FlagErrors errors;
  ScanArguments(arguments, &errors);
  return errors.ToString();
}

TEST(ArgumentScannerTest, AllFormsOfAValue) {
  EXPECT_THAT(Scan({"--listen=:80", "--backends", "a:1", "-policy=x", "-engine", "epoll"}),
              ElementsAre("--listen=:80", "--backends=a:1", "--policy=x", "--engine=epoll"));
  EXPECT_THAT(Scan({"--access_log", "-"}), ElementsAre("--access_log=-"));
  EXPECT_THAT(Scan({"--config=a=b"}), ElementsAre("--config=a=b"));
  EXPECT_THAT(Scan({}), ElementsAre());
}

TEST(ArgumentScannerTest, Switches) {
  EXPECT_THAT(Scan({"--check"}), ElementsAre("--check=true"));
  EXPECT_THAT(Scan({"--check=false"}), ElementsAre("--check=false"));
  EXPECT_THAT(Scan({"--nocheck"}), ElementsAre("--check=false"));
  EXPECT_EQ(Error({"--check=maybe"}), "--check: \"maybe\" is neither true nor false");
  EXPECT_THAT(Error({"--check", "true"}), HasSubstr("\"true\": only flags are taken here"));
}

TEST(ArgumentScannerTest, UnknownFlagsGetTheNearest) {
  EXPECT_EQ(Error({"--lisen=:80"}), "--lisen: no such flag; did you mean --listen?");
  EXPECT_EQ(Error({"--idle-timeout=1h"}),
            "--idle-timeout: no such flag; did you mean --idle_timeout?");
  EXPECT_EQ(Error({"--zzzzzzzzz"}), "--zzzzzzzzz: no such flag; l4lb --help lists all flags");
  EXPECT_THAT(Error({"--nolisten"}), HasSubstr("--nolisten: no such flag"));
  EXPECT_THAT(Error({"--=x"}), HasSubstr("--: no such flag"));
  EXPECT_THAT(Error({"---listen=x"}), HasSubstr("no such flag"));
}

TEST(ArgumentScannerTest, FlagsOfLibrariesAreNotOurs) {
  for (absl::string_view flag :
       {"--flagfile=x", "--fromenv=x", "--undefok=x", "--helpfull", "--helpxml", "--logtostderr",
        "--v=1", "--tab_completion_word=x"}) {
    EXPECT_THAT(Error({flag}), HasSubstr("no such flag")) << flag;
  }
}

TEST(ArgumentScannerTest, MissingValues) {
  EXPECT_EQ(Error({"--listen"}), "--listen: needs a value; --listen=ADDR[,ADDR]");
  EXPECT_EQ(Error({"--listen="}), "--listen: needs a value; --listen=ADDR[,ADDR]");
  EXPECT_EQ(Error({"--listen", "--check"}), "--listen: needs a value; --listen=ADDR[,ADDR]");
}

TEST(ArgumentScannerTest, AllErrorsAtOnce) {
  EXPECT_EQ(Error({"serve", "--lisen=:80", "--check", "--check"}),
            "\"serve\": only flags are taken here; every flag begins with --\n"
            "--lisen: no such flag; did you mean --listen?\n"
            "--check: is given twice; give it once\n"
            "3 errors");
}

TEST(ArgumentScannerTest, CannotDisturbATerminal) {
  EXPECT_THAT(Error({"--\x1b[2J"}), HasSubstr("--?[2J: no such flag"));
}

}  // namespace
}  // namespace l4lb

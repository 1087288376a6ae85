// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/config_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/server/temporary_folder.h"

namespace l4lb {
namespace {

constexpr char kGood[] =
    "listeners: [{name: front, bind: \"127.0.0.1:0\", pool: back}]\n"
    "pools: [{name: back, backends: [{address: \"127.0.0.1:1\"}]}]\n";
constexpr char kWrong[] = "listeners: []\npool: []\n";

class ConfigSourceTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(ConfigSourceTest, FlagsAloneCannotBeReadAgain) {
  ConfigSource source("");
  EXPECT_FALSE(source.has_file());
  EXPECT_EQ(source.status().hash, "");
  const auto config = source.Read();
  ASSERT_FALSE(config.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(config.status())) << config.status();
  EXPECT_NE(config.status().message().find("flags alone"), std::string::npos);
}

TEST_F(ConfigSourceTest, TheHashIsOfTheBytesThatRun) {
  const std::string path = folder_.Write("l4lb.yaml", kGood);
  ConfigSource source(path);
  EXPECT_TRUE(source.has_file());
  EXPECT_EQ(source.status().path, path);
  const std::string first = source.status().hash;
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos) << first;

  folder_.Write("l4lb.yaml", std::string(kGood) + "# more\n");
  ASSERT_TRUE(source.Read().ok());
  EXPECT_EQ(source.status().hash, first) << "it does not run yet";
  source.Note(absl::OkStatus());
  const std::string second = source.status().hash;
  EXPECT_NE(second, first);
  EXPECT_EQ(source.status().reloads, 1u);

  folder_.Write("l4lb.yaml", kGood);
  ASSERT_TRUE(source.Read().ok());
  source.Note(absl::OkStatus());
  EXPECT_EQ(source.status().hash, first) << "of the bytes, not of the time";
  EXPECT_EQ(source.status().reloads, 2u);
  EXPECT_EQ(source.status().reloads_failed, 0u);
}

TEST_F(ConfigSourceTest, AWrongFileIsNamedWithItsPlaceAndCountsOnce) {
  const std::string path = folder_.Write("l4lb.yaml", kGood);
  ConfigSource source(path);
  const std::string hash = source.status().hash;
  folder_.Write("l4lb.yaml", kWrong);
  const auto config = source.Read();
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.status().message().find(path + ":2:"), std::string::npos) << config.status();
  EXPECT_EQ(source.status().last_error, config.status().message());
  EXPECT_EQ(source.status().reloads_failed, 1u);
  EXPECT_EQ(source.status().reloads, 0u);
  EXPECT_EQ(source.status().hash, hash);

  folder_.Write("l4lb.yaml", kGood);
  ASSERT_TRUE(source.Read().ok());
  source.Note(absl::OkStatus());
  EXPECT_EQ(source.status().last_error, "");
}

TEST_F(ConfigSourceTest, WhatCouldNotBeTakenOverIsAFailure) {
  ConfigSource source(folder_.Write("l4lb.yaml", kGood));
  const std::string hash = source.status().hash;
  folder_.Write("l4lb.yaml", std::string(kGood) + "\n");
  ASSERT_TRUE(source.Read().ok());
  source.Note(absl::AlreadyExistsError("the port is taken"));
  EXPECT_EQ(source.status().last_error, "the port is taken");
  EXPECT_EQ(source.status().reloads_failed, 1u);
  EXPECT_EQ(source.status().reloads, 0u);
  EXPECT_EQ(source.status().hash, hash);
}

TEST_F(ConfigSourceTest, LoadedMovesOnlyWithWhatRuns) {
  ConfigSource source(folder_.Write("l4lb.yaml", kGood));
  const int64_t loaded_ms = source.status().loaded_unix_ms;
  EXPECT_NEAR(static_cast<double>(loaded_ms), static_cast<double>(absl::ToUnixMillis(absl::Now())),
              60'000);
  while (absl::ToUnixMillis(absl::Now()) <= loaded_ms) absl::SleepFor(absl::Milliseconds(1));
  source.Note(absl::InternalError("no"));
  EXPECT_EQ(source.status().loaded_unix_ms, loaded_ms);
  ASSERT_TRUE(source.Read().ok());
  source.Note(absl::OkStatus());
  EXPECT_GT(source.status().loaded_unix_ms, loaded_ms);
}

TEST_F(ConfigSourceTest, AFileThatIsGoneIsNamedWithTheReason) {
  const std::string path = folder_.Write("l4lb.yaml", kGood);
  ConfigSource source(path);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  const auto config = source.Read();
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.status().message().find(path), std::string::npos) << config.status();
  EXPECT_NE(config.status().message().find("no such file"), std::string::npos) << config.status();
  EXPECT_EQ(source.status().reloads_failed, 1u);
}

TEST_F(ConfigSourceTest, AnEmptyFileIsWrong) {
  ConfigSource source(folder_.Write("l4lb.yaml", kGood));
  folder_.Write("l4lb.yaml", "");
  EXPECT_FALSE(source.Read().ok());
}

// A pipe's bytes were taken at the start; opening it again would wait for a writer for ever.
TEST_F(ConfigSourceTest, WhatIsNoRegularFileIsNotOpened) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  ConfigSource source(path);
  for (const std::string& what : {path, folder_.path(".")}) {
    ConfigSource other(what);
    const auto config = other.Read();
    ASSERT_FALSE(config.ok());
    EXPECT_NE(config.status().message().find("no regular file"), std::string::npos);
  }
}

}  // namespace
}  // namespace l4lb

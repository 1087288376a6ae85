// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/config/load.h"

namespace l4lb {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::StatusOr<CommandLine> Read(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "l4lb");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return ReadCommandLine(static_cast<int>(arguments.size()), argv.data());
}

std::string Error(const std::vector<std::string>& arguments) {
  const absl::StatusOr<CommandLine> line = Read(arguments);
  EXPECT_FALSE(line.ok());
  return std::string(line.status().message());
}

CommandLine Good(const std::vector<std::string>& arguments) {
  absl::StatusOr<CommandLine> line = Read(arguments);
  EXPECT_TRUE(line.ok()) << line.status();
  return line.ok() ? *line : CommandLine();
}

/// A file that is there as long as this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(::testing::TempDir() + "/l4lb_flags_test_" + std::to_string(getpid())) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

TEST(FlagsTest, AdminIsOffWithFlagsAloneUnlessAskedFor) {
  const auto admin = [](std::vector<std::string> more) {
    more.insert(more.end(), {"--listen=:80", "--backends=10.0.0.1:1"});
    return Good(more).config.admin.bind;
  };
  EXPECT_EQ(admin({}), "off");
  EXPECT_EQ(admin({"--admin=auto"}), "auto");
  EXPECT_EQ(admin({"--admin=unix:/run/l4lb.sock"}), "unix:/run/l4lb.sock");
  EXPECT_EQ(Good({"--demo"}).config.admin.bind, "auto");
  EXPECT_EQ(Good({"--demo", "--admin=off"}).config.admin.bind, "off");
  EXPECT_THAT(Error({"--listen=:80", "--backends=10.0.0.1:1", "--admin=:9900"}),
              HasSubstr("--admin: \":9900\" may be reached from other machines"));
}

TEST(FlagsTest, OneListenerAndOnePool) {
  const CommandLine line =
      Good({"--listen=:80,127.0.0.1:81", "--backends=10.0.0.1:1,[::1]:2*5,10.0.0.3:3*0",
            "--policy=p2c", "--engine=epoll", "--workers=2", "--max_connections=100",
            "--connect_timeout=1s", "--idle_timeout=2h", "--drain_timeout=3s", "--access_log=-"});
  Config wanted;
  wanted.workers = 2;
  wanted.engine = Config::Engine::kEpoll;
  wanted.max_connections = 100;
  wanted.drain_timeout = absl::Seconds(3);
  wanted.access_log.path = "-";
  wanted.admin.bind = "off";
  wanted.listeners = {{.name = "default",
                       .bind = {":80", "127.0.0.1:81"},
                       .pool = "default",
                       .idle_timeout = absl::Hours(2)}};
  wanted.pools = {
      {.name = "default", .policy = Config::Policy::kP2c, .connect_timeout = absl::Seconds(1)}};
  wanted.pools[0].backends = {
      {"10.0.0.1:1", "10.0.0.1:1", 1}, {"[::1]:2", "[::1]:2", 5}, {"10.0.0.3:3", "10.0.0.3:3", 0}};
  EXPECT_EQ(line.config, wanted);
  EXPECT_EQ(line.action, CommandLine::Action::kRun);
  EXPECT_EQ(line.source, "flags");
  EXPECT_FALSE(line.demo);
}

TEST(FlagsTest, OneCallLeavesNothingForTheNext) {
  Good({"--listen=:80", "--backends=10.0.0.1:1", "--engine=epoll", "--check"});
  const CommandLine line = Good({"--listen=:80", "--backends=10.0.0.1:1"});
  EXPECT_EQ(line.config.engine, Config::Engine::kAuto);
  EXPECT_EQ(line.action, CommandLine::Action::kRun);
}

TEST(FlagsTest, NothingToDo) {
  EXPECT_EQ(Error({}),
            "nothing to do; the two shortest ways to start:\n"
            "  l4lb --listen=:8080 --backends=10.0.0.1:80,10.0.0.2:80\n"
            "  l4lb --demo");
  EXPECT_THAT(Error({"--check"}), StartsWith("nothing to do"));
  EXPECT_THAT(Error({"--listen=:80"}), StartsWith("--backends: is missing"));
  EXPECT_THAT(Error({"--backends=10.0.0.1:1"}), StartsWith("--listen: is missing"));
}

TEST(FlagsTest, WrongValuesAllAtOnce) {
  EXPECT_EQ(
      Error({"--listen=:80,:99999", "--backends=10.0.0.1:1*2000,10.0.0.2:0", "--idle_timeout=5",
             "--policy=round_robbin", "--workers=257", "--engine=uring"}),
      "--backends: weight 2000 is out of range: it must be 0 to 1000\n"
      "--backends: address \"10.0.0.2:0\": a backend's port must be 1 to 65535\n"
      "--engine: \"uring\" is unknown; allowed: auto, epoll, io_uring\n"
      "--idle_timeout: \"5\" has no unit; did you mean \"5s\"?\n"
      "--listen: port 99999 is out of range, 0 to 65535\n"
      "--policy: \"round_robbin\" is unknown; allowed: round_robin, random, least_connections, "
      "p2c, maglev, ring; "
      "did you mean \"round_robin\"?\n"
      "--workers: 257 is out of range: it must be auto or 1 to 256\n"
      "7 errors");
  EXPECT_THAT(Error({"--listen=:80", "--idle_timeout=5"}),
              AllOf(HasSubstr("--backends: is missing"), HasSubstr("did you mean \"5s\"?")));
}

TEST(FlagsTest, SameAddressTwice) {
  EXPECT_EQ(Error({"--listen=:80", "--backends=10.0.0.1:1,10.0.0.1:1"}),
            "--backends: backend \"10.0.0.1:1\" is there twice");
  EXPECT_EQ(Error({"--listen=:80,[::]:80", "--backends=10.0.0.1:1"}),
            "--listen: address \"[::]:80\" is there twice");
  EXPECT_THAT(Error({"--listen=:80,", "--backends=10.0.0.1:1"}), HasSubstr("--listen: is empty"));
}

TEST(FlagsTest, HostNamesAndUnixSockets) {
  const Config config = Good({"--listen=unix:/run/a.sock,127.0.0.1:80",
                              "--backends=db1.example:5432*3,unix:/run/b.sock*2,localhost:1"})
                            .config;
  EXPECT_THAT(config.listeners[0].bind, ElementsAre("unix:/run/a.sock", "127.0.0.1:80"));
  EXPECT_THAT(config.pools[0].backends,
              ElementsAre(Config::Backend{"db1.example:5432", "db1.example:5432", 3},
                          Config::Backend{"unix:/run/b.sock", "unix:/run/b.sock", 2},
                          Config::Backend{"localhost:1", "localhost:1", 1}));
  EXPECT_EQ(Error({"--listen=unix:/a,unix:/a", "--backends=10.0.0.1:1"}),
            "--listen: address \"unix:/a\" is there twice");
  EXPECT_EQ(Error({"--listen=localhost:80", "--backends=256.1.1.1:1,a_b:2"}),
            "--backends: address '256.1.1.1' is not an IPv4 address\n"
            "--backends: address host name 'a_b' has '_', but only letters, digits, '-' and '.' "
            "may be\n"
            "--listen: host names are not resolved: write a numeric address instead of "
            "'localhost'\n"
            "3 errors");
  EXPECT_EQ(Error({"--listen=:80", "--backends=" + std::string(60, 'a') + "." +
                                       std::string(63, 'b') + ".example:80"}),
            "--backends: has 135 bytes, too many for the backend's name; at most 128 may be; give "
            "the backend a name");
}

TEST(FlagsTest, UnknownFlags) {
  EXPECT_EQ(Error({"--lisen=:80"}), "--lisen: no such flag; did you mean --listen?");
  EXPECT_THAT(Error({"--help", "--bogus_flag"}), HasSubstr("no such flag"));
}

TEST(FlagsTest, HelpAndVersion) {
  const CommandLine help = Good({"--help"});
  EXPECT_EQ(help.action, CommandLine::Action::kHelp);
  EXPECT_THAT(help.text, HasSubstr("Usage: l4lb"));
  EXPECT_EQ(Good({"-version"}).action, CommandLine::Action::kVersion);
}

TEST(FlagsTest, Demo) {
  const CommandLine line = Good({"--demo", "--idle_timeout=1m"});
  EXPECT_TRUE(line.demo);
  ASSERT_EQ(line.config.listeners.size(), 1u);
  EXPECT_THAT(line.config.listeners[0].bind, ElementsAre("127.0.0.1:8080"));
  EXPECT_EQ(line.config.listeners[0].idle_timeout, absl::Minutes(1));
  EXPECT_TRUE(line.config.pools.empty());
  EXPECT_THAT(Good({"--demo", "--listen=:0"}).config.listeners[0].bind, ElementsAre(":0"));
  EXPECT_FALSE(Good({"--demo=false", "--listen=:0", "--backends=10.0.0.1:1"}).demo);
  for (const char* flag : {"--backends=10.0.0.1:1", "--connect_timeout=1s", "--policy=round_robin",
                           "--check", "--print_config"}) {
    EXPECT_THAT(Error({"--demo", flag}), HasSubstr("cannot be together with --demo")) << flag;
  }
}

TEST(FlagsTest, ConfigFile) {
  const TemporaryFile file(
      "listeners: [{bind: \":1\", pool: p}]\npools: [{name: p, backends: [{address: "
      "\"1.1.1.1:1\"}]}]\n");
  const CommandLine line = Good({"--config", file.path(), "--check"});
  EXPECT_EQ(line.action, CommandLine::Action::kCheck);
  EXPECT_EQ(line.source, file.path());
  EXPECT_EQ(line.config.pools[0].name, "p");
  EXPECT_EQ(line.text, "");

  const CommandLine printed = Good({"--config=" + file.path(), "--print_config"});
  EXPECT_EQ(printed.action, CommandLine::Action::kPrintConfig);
  EXPECT_THAT(printed.text, HasSubstr("# line 1\n"));

  EXPECT_EQ(Error({"--config=" + file.path(), "--listen=:80", "--demo"}),
            "--listen: cannot be together with --config; set listeners[].bind in " + file.path() +
                "\n--demo: cannot be together with --config\n2 errors");
  EXPECT_EQ(Good({"--config=" + file.path(), "--check", "--dump_table=t"}).dump_table, "t");
  EXPECT_THAT(Error({"--config=" + file.path(), "--dump_table=t"}),
              HasSubstr("--dump_table: is for --check"));
  EXPECT_THAT(Error({"--config=" + file.path(), "--check", "--print_config"}),
              HasSubstr("--check: cannot be together with --print_config"));
}

TEST(FlagsTest, WrongConfigFile) {
  const TemporaryFile file("listeners: 1\n");
  EXPECT_THAT(Error({"--config=" + file.path()}),
              AllOf(StartsWith(file.path() + ":1:1: "), EndsWith("\n2 errors")));
  EXPECT_THAT(Error({"--config=false"}), HasSubstr("false: the file cannot be read: "));
}

TEST(FlagsTest, PrintedFlagsAreAFile) {
  const CommandLine line =
      Good({"--listen=:80", "--backends=10.0.0.1:1*2", "--idle_timeout=5m", "--print_config"});
  EXPECT_THAT(line.text, HasSubstr("# --idle_timeout\n"));
  EXPECT_THAT(line.text, HasSubstr("# --backends\n"));
  const absl::StatusOr<Config> config = ParseConfig("printed", line.text);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config, line.config);
}

}  // namespace
}  // namespace l4lb

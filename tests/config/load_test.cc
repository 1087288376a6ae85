// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "l4lb/config/load_file.h"

namespace l4lb {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kMinimal[] = R"(listeners:
  - bind: 127.0.0.1:8080
    pool: web
pools:
  - name: web
    backends:
      - address: 127.0.0.1:9001
)";

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Config> config = ParseConfig("x.yaml", text);
  EXPECT_FALSE(config.ok()) << text;
  return std::string(config.status().message());
}

/// The error of kMinimal with one part replaced.
std::string ErrorWith(const std::string& part, const std::string& by) {
  const std::string text = absl::StrReplaceAll(kMinimal, {{part, by}});
  EXPECT_NE(text, kMinimal) << part;
  return ErrorOf(text);
}

TEST(LoadTest, MinimalFileGetsAllDefaults) {
  const absl::StatusOr<Config> config = ParseConfig("x.yaml", kMinimal);
  ASSERT_TRUE(config.ok()) << config.status();
  Config wanted;
  wanted.listeners.push_back({.name = "127.0.0.1:8080", .bind = {"127.0.0.1:8080"}, .pool = "web"});
  wanted.pools.push_back({.name = "web"});
  wanted.pools[0].backends.push_back({.name = "127.0.0.1:9001", .address = "127.0.0.1:9001"});
  EXPECT_EQ(*config, wanted);
}

constexpr char kEveryKey[] = R"(
workers: 3
engine: epoll
buffers: {size: 64KiB, count: 100}
max_connections: 9000
drain_timeout: 0s
drain_spread: 3s
shutdown_delay: 2s
user: l4lb
log: {level: warning}
access_log: {path: "-", format: text}
listeners:
  - {name: pg, bind: ["0.0.0.0:5432", "[::]:5432", "unix:/run/pg"], pool: pg, backlog: 10,
     idle_timeout: 2h, half_close_timeout: 10s, max_connections: 2000, accept_rate: 500,
     per_source: {max_connections: 20, rate: 5}}
pools:
  - name: pg
    policy: random
    source: [10.0.0.8, 2001:db8::8]
    connect_timeout: 250ms
    retries: 0
    max_connections: 300
    queue: {limit: 0, timeout: 1500ms, per: backend}
    keepalive: {idle: 20s, interval: 5s, count: 4}
    dead_after: 30s
    max_connection_age: {age: 1h, jitter: 20%, quiet: 1s, grace: 1m}
    on_remove: {drain: 10s}
    fail_open: {below: 0.25}
    slow_start: {time: 1m, floor: 20%}
    on_down: {drain: 5s}
    eject: {consecutive: 0, rate: 60%, window: 20s, base: 1s, max: 2m, max_ejected: 50%}
    backends:
      - {name: a, address: "10.0.0.1:1", weight: 0, max_connections: 100}
      - {name: b, address: "[::1]:2", state: drain}
      - {name: c, address: "db1.example:3", state: down}
      - {name: d, address: "unix:/run/db", backup: true}
)";

TEST(LoadTest, EveryKeyIsRead) {
  const absl::StatusOr<Config> config = ParseConfig("x.yaml", kEveryKey);
  ASSERT_TRUE(config.ok()) << config.status();
  Config wanted;
  wanted.workers = 3;
  wanted.engine = Config::Engine::kEpoll;
  wanted.buffers = {.size = 64 << 10, .count = 100};
  wanted.max_connections = 9000;
  wanted.drain_timeout = absl::ZeroDuration();
  wanted.drain_spread = absl::Seconds(3);
  wanted.shutdown_delay = absl::Seconds(2);
  wanted.user = "l4lb";
  wanted.log_level = Config::LogLevel::kWarning;
  wanted.access_log = {.path = "-", .format = Config::LogFormat::kText};
  wanted.listeners.push_back({.name = "pg",
                              .bind = {"0.0.0.0:5432", "[::]:5432", "unix:/run/pg"},
                              .pool = "pg",
                              .max_connections = 2000,
                              .accept_rate = 500,
                              .per_source = {.max_connections = 20, .rate = 5},
                              .backlog = 10,
                              .idle_timeout = absl::Hours(2),
                              .half_close_timeout = absl::Seconds(10)});
  wanted.pools.push_back({.name = "pg",
                          .policy = Config::Policy::kRandom,
                          .source = {"10.0.0.8", "2001:db8::8"},
                          .connect_timeout = absl::Milliseconds(250),
                          .retries = 0,
                          .max_connections = 300,
                          .queue = {0, absl::Milliseconds(1500), Config::QueuePer::kBackend},
                          .keepalive = {absl::Seconds(20), absl::Seconds(5), 4},
                          .dead_after = absl::Seconds(30),
                          .max_connection_age = {.age = absl::Hours(1),
                                                 .jitter = 20,
                                                 .quiet = absl::Seconds(1),
                                                 .grace = absl::Minutes(1)},
                          .fail_open = {25},
                          .slow_start = {absl::Minutes(1), 20},
                          .on_down = absl::Seconds(5),
                          .on_remove = absl::Seconds(10),
                          .eject = {.consecutive = 0,
                                    .rate = 60,
                                    .window = absl::Seconds(20),
                                    .base = absl::Seconds(1),
                                    .max = absl::Minutes(2),
                                    .max_ejected = 50}});
  wanted.pools[0].backends = {
      {"a", "10.0.0.1:1", 0, 100},
      {.name = "b", .address = "[::1]:2", .state = Config::BackendState::kDrain},
      {.name = "c", .address = "db1.example:3", .state = Config::BackendState::kDown},
      {.name = "d", .address = "unix:/run/db", .backup = true}};
  EXPECT_EQ(*config, wanted);
}

TEST(LoadTest, AdminKeysAreRead) {
  const absl::StatusOr<Config> config =
      ParseConfig("x.yaml", absl::StrCat(kMinimal,
                                         "admin: {bind: \"unix:/run/l4lb.sock\", token_file: /t, "
                                         "read_token_file: /r, mode: 660}\nwatch: true\n"));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->admin.bind, "unix:/run/l4lb.sock");
  EXPECT_EQ(config->admin.token_file, "/t");
  EXPECT_EQ(config->admin.read_token_file, "/r");
  EXPECT_EQ(config->admin.mode, "0660");
  EXPECT_TRUE(config->watch);
  EXPECT_THAT(ErrorOf(absl::StrCat(kMinimal, "admin: {bind: of}\n")),
              HasSubstr("did you mean \"off\"?"));
  EXPECT_THAT(ErrorOf(absl::StrCat(kMinimal, "admin: {mode: 0888}\n")),
              HasSubstr("a mode is written in octal, like 0660"));
}

TEST(LoadTest, WhatBecomesOfSessions) {
  const auto on_remove = [](const std::string& text) {
    return ParseConfig("x.yaml", absl::StrCat(kMinimal, "    on_remove: ", text, "\n"));
  };
  EXPECT_EQ(on_remove("keep")->pools[0].on_remove, absl::InfiniteDuration());
  EXPECT_EQ(on_remove("close")->pools[0].on_remove, absl::ZeroDuration());
  EXPECT_EQ(on_remove("{drain: 1m30s}")->pools[0].on_remove, absl::Seconds(90));
  const auto complaint = [&](const std::string& text) {
    return std::string(on_remove(text).status().message());
  };
  EXPECT_THAT(complaint("30s"), HasSubstr("did you mean {drain: 30s}?"));
  EXPECT_THAT(complaint("[keep]"), HasSubstr("pools[0].on_remove must be a value"));
  EXPECT_THAT(complaint("{drain: soon}"),
              HasSubstr("pools[0].on_remove.drain: \"soon\" is not a duration"));
  EXPECT_THAT(complaint("{drain: 8d}"), HasSubstr("must be 1ms to 7d"));
  EXPECT_THAT(complaint("{dran: 1s}"),
              AllOf(StartsWith("x.yaml:8:17: pools[0].on_remove must be keep, close, or {drain: "
                               "DURATION}, nothing else"),
                    EndsWith("\n1 error")));
  EXPECT_THAT(complaint("{drain: 1s, keep: 2s}"), StartsWith("x.yaml:8:28: "));
}

TEST(LoadTest, EmptyValues) {
  const absl::StatusOr<Config> config = ParseConfig(
      "x.yaml", absl::StrCat(kMinimal, "    source: []\nuser:\naccess_log: {path: }\n"));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config, *ParseConfig("x.yaml", kMinimal));
  EXPECT_THAT(ErrorWith("name: web", "name: web\n    source:"),
              HasSubstr("pools[0].source[0] must be a value (IP address, or list of IP addresses), "
                        "not nothing"));
}

TEST(LoadTest, AllErrorsAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(ErrorOf("listeners:\n"
                    "  - bind: 127.0.0.1:8080\n"
                    "    idle_timeout: 5\n"
                    "    pool: web\n"
                    "pools:\n"
                    "  - name: web\n"
                    "    backends:\n"
                    "      - {adress: \"127.0.0.1:9001\"}\n"
                    "      - {address: \"127.0.0.1:9002\", weight: -1}\n"),
            "x.yaml:3:19: listeners[0].idle_timeout: \"5\" has no unit\n"
            "  3 |     idle_timeout: 5\n"
            "    |                   ^ did you mean \"5s\"?\n"
            "x.yaml:8:10: unknown key \"adress\" in pools[0].backends[0]\n"
            "  8 |       - {adress: \"127.0.0.1:9001\"}\n"
            "    |          ^^^^^^ did you mean \"address\"?\n"
            "x.yaml:9:45: pools[0].backends[1].weight: -1 is out of range: it must be 0 to 1000\n"
            "  9 |       - {address: \"127.0.0.1:9002\", weight: -1}\n"
            "    |                                             ^^\n"
            "3 errors");
}

TEST(LoadTest, FilesThatAreNoMapping) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("x.yaml:1:1: the file is empty"));
  EXPECT_THAT(ErrorOf("# nothing\n"), HasSubstr("the file is empty"));
  EXPECT_THAT(ErrorOf("- a\n- b\n"),
              HasSubstr("the file must be a mapping of keys to values, not a list"));
  EXPECT_THAT(ErrorOf("word\n"), HasSubstr("not a single value"));
}

TEST(LoadTest, MissingKeys) {
  EXPECT_THAT(ErrorOf("workers: 1\n"), AllOf(HasSubstr("x.yaml:1:1: \"listeners\" is missing"),
                                             HasSubstr("\"pools\" is missing")));
  EXPECT_THAT(
      ErrorWith("pool: web", "backlog: 5"),
      AllOf(HasSubstr("x.yaml:2:5: listeners[0]: \"pool\" is missing"), HasSubstr("add pool: ")));
  EXPECT_THAT(ErrorWith("bind: 127.0.0.1:8080", "backlog: 5"), HasSubstr("\"bind\" is missing"));
  EXPECT_THAT(ErrorWith("name: web", "retries: 1"), HasSubstr("pools[0]: \"name\" is missing"));
  EXPECT_THAT(ErrorWith("address: 127.0.0.1:9001", "name: a"),
              HasSubstr("x.yaml:7:9: pools[0].backends[0]: \"address\" is missing"));
  EXPECT_THAT(ErrorOf("listeners: []\npools: []\n"),
              AllOf(HasSubstr("listeners is empty"), HasSubstr("pools is empty")));
}

TEST(LoadTest, WrongKinds) {
  EXPECT_THAT(
      ErrorWith("bind: 127.0.0.1:8080", "bind: {a: b}"),
      HasSubstr(
          "listeners[0].bind[0] must be a value (address, or list of addresses), not a mapping"));
  EXPECT_THAT(ErrorWith("name: web", "name: [web]"),
              HasSubstr("must be a value (text), not a list"));
  EXPECT_THAT(
      ErrorWith("name: web", "name: web\n    keepalive: 30s"),
      HasSubstr("pools[0].keepalive must be a mapping of keys to values, not a single value"));
  EXPECT_THAT(ErrorOf("listeners: 5\npools:\n"),
              AllOf(HasSubstr("listeners must be a list of mappings, not a single value"),
                    HasSubstr("pools must be a list of mappings, not nothing")));
  EXPECT_THAT(ErrorWith("pool: web", "pool:"), HasSubstr("must be a value (text), not nothing"));
  EXPECT_THAT(ErrorWith("pool: web", "pool: web\n    ? [x]\n    : 1"),
              HasSubstr("a key must be a word"));
}

TEST(LoadTest, DuplicateKeysNameTheFirst) {
  EXPECT_THAT(
      ErrorWith("pool: web", "pool: web\n    pool: web"),
      HasSubstr("x.yaml:4:5: listeners[0]: \"pool\" is there twice; the first is in line 3"));
  EXPECT_THAT(ErrorOf(absl::StrCat(kMinimal, "pools: []\n")),
              HasSubstr("x.yaml:8:1: \"pools\" is there twice; the first is in line 4"));
}

TEST(LoadTest, ReferencesAndNames) {
  EXPECT_THAT(ErrorWith("pool: web", "pool: wbe"),
              AllOf(HasSubstr("x.yaml:3:11: listeners[0].pool: no pool \"wbe\"; there is web"),
                    HasSubstr("did you mean \"web\"?")));
  EXPECT_THAT(
      ErrorWith("      - address: 127.0.0.1:9001",
                "      - address: 127.0.0.1:9001\n      - address: 127.0.0.1:9001"),
      HasSubstr("x.yaml:8:9: pools[0].backends[1].name: backend \"127.0.0.1:9001\" is there "
                "twice; the first is in line 7"));
  EXPECT_THAT(ErrorWith("bind: 127.0.0.1:8080", "bind: [\":80\", \"[::]:80\"]"),
              HasSubstr("x.yaml:2:20: listeners[0].bind[1]: address \"[::]:80\" is there twice"));
  EXPECT_THAT(ErrorWith("name: web", "name: web\n    source: [10.0.0.1, 10.0.0.1]"),
              HasSubstr("x.yaml:6:24: pools[0].source[1]: source address \"10.0.0.1\" is there "
                        "twice; the first is in line 6"));
}

TEST(LoadTest, AliasesAreFollowed) {
  const absl::StatusOr<Config> config = ParseConfig("x.yaml", R"(
listeners: [{bind: ":1", pool: a}]
pools:
  - {name: a, keepalive: &slow {idle: 60s}, backends: &two [{address: "1.1.1.1:1"}]}
  - {name: b, keepalive: *slow, backends: *two}
)");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->pools[0].keepalive, config->pools[1].keepalive);
  EXPECT_EQ(config->pools[0].backends, config->pools[1].backends);
}

TEST(LoadTest, ACycleOfAliasesIsAnError) {
  EXPECT_THAT(ErrorOf("listeners: &x [*x]\npools: &y {name: *y}\n"),
              HasSubstr("must be a mapping"));
}

TEST(LoadTest, ThePathCannotDisturbATerminal) {
  const absl::StatusOr<Config> config = ParseConfig("\x1b[2J.yaml", "");
  EXPECT_THAT(std::string(config.status().message()), StartsWith("?[2J.yaml:1:1: "));
}

TEST(LoadTest, Files) {
  const std::string path = ::testing::TempDir() + "/l4lb_load_test_" + std::to_string(getpid());
  std::ofstream(path) << kMinimal;
  const absl::StatusOr<LoadedConfig> loaded = LoadFile(path);
  std::remove(path.c_str());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->config.pools[0].name, "web");
  EXPECT_EQ(loaded->origins.Find("pools[0].name")->line, 5u);
  EXPECT_EQ(loaded->origins.Find("pools[0].retries"), nullptr);

  EXPECT_THAT(std::string(LoadFile(path).status().message()),
              EndsWith(": the file cannot be read: no such file or directory"));
  EXPECT_THAT(std::string(LoadFile("/").status().message()), HasSubstr("is a directory"));
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What a file says of checks and of ejection: read, filled in, printed, and refused with the place
// and what would be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/load.h"
#include "l4lb/config/load_file.h"
#include "l4lb/config/print.h"
#include "l4lb/config/validate.h"

namespace l4lb {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Line 5 is `    ` and then `of_pool`.
std::string Document(absl::string_view of_pool, absl::string_view backends) {
  return absl::StrCat("listeners: [{bind: \":80\", pool: p}]\npools:\n  - name: p\n    backends: [",
                      backends, "]\n    ", of_pool, "\n");
}

constexpr absl::string_view kBackend = "{address: \"10.0.0.1:80\"}";

absl::StatusOr<Config> Load(absl::string_view of_pool, absl::string_view backends = kBackend) {
  return ParseConfig("x", Document(of_pool, backends));
}

std::string ErrorOf(absl::string_view of_pool, absl::string_view backends = kBackend) {
  return std::string(Load(of_pool, backends).status().message());
}

/// Of `health_check: {...}`.
std::string CheckError(absl::string_view keys) {
  return ErrorOf(absl::StrCat("health_check: {", keys, "}"));
}

Config::HealthCheck CheckOf(absl::string_view keys) {
  const absl::StatusOr<Config> config = Load(absl::StrCat("health_check: {", keys, "}"));
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? config->pools[0].health_check : Config::HealthCheck();
}

TEST(CheckConfigTest, EveryKeyIsRead) {
  EXPECT_EQ(CheckOf("type: tcp, interval: 5s, fast_interval: 1s, timeout: 2s, rise: 4, fall: 5, "
                    "address: 10.0.0.9, port: 81, limit: 1KiB, "
                    "detector: {type: phi, threshold: 10}"),
            (Config::HealthCheck{.type = Config::CheckType::kTcp,
                                 .interval = absl::Seconds(5),
                                 .fast_interval = absl::Seconds(1),
                                 .timeout = absl::Seconds(2),
                                 .rise = 4,
                                 .fall = 5,
                                 .address = "10.0.0.9",
                                 .port = 81,
                                 .limit = 1024,
                                 .detector = {Config::DetectorType::kPhi, 10}}));
  EXPECT_EQ(CheckOf(R"(type: send_expect, send: "PING\r\n", expect: +PONG)"),
            (Config::HealthCheck{
                .type = Config::CheckType::kSendExpect, .send = "PING\r\n", .expect = "+PONG"}));
  EXPECT_EQ(CheckOf(R"(type: send_expect, send_hex: 50 49, expect_regex: '^\+(PONG|OK)')"),
            (Config::HealthCheck{.type = Config::CheckType::kSendExpect,
                                 .send_hex = "50 49",
                                 .expect_regex = R"(^\+(PONG|OK))"}));
  EXPECT_EQ(CheckOf("type: http, path: /health?full=1, host: www.example, status: \"200,204\""),
            (Config::HealthCheck{.type = Config::CheckType::kHttp,
                                 .path = "/health?full=1",
                                 .host = "www.example",
                                 .status = "200,204"}));
}

TEST(CheckConfigTest, ExamplesAreTakenWithTheirType) {
  for (const Key* key : KeysOfLevel("pools[].health_check")) {
    if (key->example.empty()) continue;
    const bool http = absl::StrContains(key->summary, "type http");
    EXPECT_THAT(CheckError(absl::StrCat("type: ", http ? "http" : "send_expect", ", ", key->name(),
                                        ": ", key->example)),
                IsEmpty());
  }
}

TEST(CheckConfigTest, TimesThatAreNotGivenFollowTheInterval) {
  const Config::HealthCheck fast = CheckOf("type: tcp, interval: 200ms");
  EXPECT_EQ(fast.timeout, absl::Milliseconds(200));
  EXPECT_EQ(fast.fast_interval, absl::Milliseconds(200));
  const Config::HealthCheck slow = CheckOf("type: tcp, interval: 1m");
  EXPECT_EQ(slow.timeout, absl::Seconds(1));
  EXPECT_EQ(slow.fast_interval, absl::Milliseconds(500));
}

TEST(CheckConfigTest, TimesThatAreTooLong) {
  EXPECT_EQ(
      CheckError("type: tcp, fast_interval: 3s"),
      "x:5:46: pools[0].health_check.fast_interval: fast_interval 3s is longer than "
      "interval 2s\n"
      "  5 |     health_check: {type: tcp, fast_interval: 3s}\n"
      "    |                                              ^^ set fast_interval to at most 2s, "
      "or interval to at least 3s\n"
      "1 error");
  EXPECT_THAT(CheckError("type: tcp, interval: 100ms, fast_interval: 101ms"),
              HasSubstr("fast_interval 101ms is longer than interval 100ms"));
  EXPECT_THAT(CheckError("type: tcp, interval: 100ms, fast_interval: 500ms"),
              HasSubstr("pools[0].health_check.interval: fast_interval 500ms is longer than"));
  EXPECT_EQ(CheckOf("type: tcp, interval: 100ms, timeout: 300ms").timeout, absl::Milliseconds(300));
  EXPECT_THAT(ErrorOf("eject: {base: 10m}"),
              AllOf(StartsWith("x:5:19: pools[0].eject.base: base 10m is longer than max 5m"),
                    HasSubstr("set base to at most 5m, or max to at least 10m")));
  EXPECT_THAT(ErrorOf("eject: {max: 5s}"), StartsWith("x:5:18: pools[0].eject.max: base 10s is "));
}

TEST(CheckConfigTest, KeysNeedAType) {
  EXPECT_EQ(CheckError("interval: 2s, fall: 5"),
            "x:5:30: pools[0].health_check.interval: has no effect without a type\n"
            "  5 |     health_check: {interval: 2s, fall: 5}\n"
            "    |                              ^^ add type: tcp\n"
            "1 error");
  EXPECT_THAT(CheckError("path: /"), HasSubstr("add type: http"));
  EXPECT_THAT(CheckError("send: x"), HasSubstr("add type: send_expect"));
  EXPECT_THAT(CheckError("detector: {type: count}"),
              HasSubstr("pools[0].health_check.detector.type: has no effect without a type"));
  EXPECT_THAT(CheckError("type: none, fall: 5"),
              AllOf(HasSubstr("health_check.fall: has no effect while type is none"),
                    HasSubstr("set type to tcp, or remove all others")));
  EXPECT_THAT(CheckError("type: none, fall: 3"), IsEmpty()) << "as --print_config writes it";
  EXPECT_THAT(CheckError(""), IsEmpty());
}

TEST(CheckConfigTest, AWrongTypeIsTheOnlyError) {
  for (const char* keys :
       {"type: htp, path: /x", "typ: http, path: /x", "type: [], path: /x", "type: , send: x"}) {
    EXPECT_THAT(CheckError(keys), EndsWith("\n1 error")) << keys;
  }
  EXPECT_THAT(CheckError("type: htp"), HasSubstr("did you mean \"http\"?"));
}

TEST(CheckConfigTest, KeysOfAnotherType) {
  EXPECT_THAT(CheckError("type: tcp, path: /x"),
              AllOf(StartsWith("x:5:37: pools[0].health_check.path: belongs to the type http, and "
                               "type is tcp"),
                    HasSubstr("set type to http, or remove it")));
  EXPECT_THAT(CheckError("type: http, send: x"), HasSubstr("belongs to the type send_expect"));
  for (const char* key : {"send: x", "send_hex: 00", "expect: x", "expect_regex: x"}) {
    EXPECT_THAT(CheckError(absl::StrCat("type: tcp, ", key)), HasSubstr("type send_expect"));
  }
  for (const char* key : {"path: /x", "host: x", "status: 200"}) {
    EXPECT_THAT(CheckError(absl::StrCat("type: send_expect, ", key)), HasSubstr("the type http"));
  }
  EXPECT_THAT(CheckError("type: tcp, detector: {threshold: 9}"),
              AllOf(HasSubstr("health_check.detector.threshold: belongs to the detector phi"),
                    HasSubstr("set detector.type to phi")));
}

TEST(CheckConfigTest, OneOfTwo) {
  EXPECT_THAT(CheckError("type: send_expect, send: x, send_hex: 00"),
              HasSubstr("health_check.send_hex: cannot stand together with send\n"));
  EXPECT_THAT(CheckError("type: send_expect, expect: x, expect_regex: x"),
              HasSubstr("health_check.expect_regex: cannot stand together with expect\n"));
}

TEST(CheckConfigTest, TextsThatAreWrong) {
  EXPECT_THAT(CheckError("type: send_expect, send_hex: 0x50"),
              AllOf(StartsWith("x:5:49: pools[0].health_check.send_hex: \"x\", character 2, is no "
                               "hex digit\n"),
                    HasSubstr("two digits are written for each byte, like 50 49 4e 47")));
  EXPECT_THAT(
      CheckError("type: send_expect, expect_regex: (PONG"),
      HasSubstr("health_check.expect_regex: RE2 does not take \"(PONG\": missing ): (PONG"));
  EXPECT_THAT(CheckError("type: send_expect, expect: abcdef, limit: 5"),
              AllOf(HasSubstr("health_check.expect: has 6 bytes, and limit is 5"),
                    HasSubstr("what is expected must fit into what is read")));
  EXPECT_THAT(CheckError("type: http, status: 2xx"),
              AllOf(HasSubstr("health_check.status: \"2xx\" is neither a status nor a range of "),
                    HasSubstr("statuses are written like 200-399 or 200,204,300-399")));
  EXPECT_THAT(CheckError("type: http, status: "), HasSubstr("health_check.status: is empty"));
  EXPECT_THAT(CheckError("type: http, path: health"),
              AllOf(HasSubstr("health_check.path: \"health\" does not begin with a slash"),
                    HasSubstr("did you mean \"/health\"?")));
}

TEST(CheckConfigTest, ARequestCannotBeSmuggledIn) {
  for (const char* value : {R"("/ HTTP/1.1")", R"("/\r\nX: 1")", R"("/a\tb")", R"("/\x7f")",
                            R"("/\0")", R"("/\u00e4")"}) {
    EXPECT_THAT(CheckError(absl::StrCat("type: http, path: ", value)),
                AllOf(HasSubstr("health_check.path: "), HasSubstr("has a byte that may not be"),
                      HasSubstr("printable ASCII without blanks may be"), EndsWith("\n1 error")))
        << value;
  }
  EXPECT_THAT(CheckError(R"(type: http, host: "a\r\nb")"),
              HasSubstr("health_check.host: \"a??b\" has a byte that may not be, 2. of 4"));
}

TEST(CheckConfigTest, OtherBytesGoIntoHex) {
  EXPECT_THAT(CheckError(R"(type: send_expect, send: "a\0b")"),
              AllOf(HasSubstr("health_check.send: \"a?b\" has a byte that is not ASCII or 0, the "
                              "2. of 3"),
                    HasSubstr("send_hex takes every byte")));
  EXPECT_THAT(CheckError(R"(type: send_expect, send: "\x80")"), HasSubstr("the 1. of 2"));
  EXPECT_THAT(CheckError("type: send_expect, expect: \u00e4"),
              HasSubstr(R"(expect_regex takes every byte, as in \xff)"));
  EXPECT_THAT(CheckError(absl::StrCat("type: send_expect, send: ", std::string(16385, 'x'))),
              HasSubstr("has 16385 bytes; at most 16384 may be"));
}

TEST(CheckConfigTest, TextsSurvivePrinting) {
  std::string every;
  for (char c = 1; c < 127; ++c) every.push_back(c);
  every.push_back(127);
  for (const std::string& send : {every, std::string("PING\r\n"), std::string(" a: b # c "),
                                  std::string("\n\n"), std::string("a\n  b\n")}) {
    Config config = *Load("health_check: {type: send_expect}");
    config.pools[0].health_check.send = send;
    const std::string text = PrintConfig(config);
    const absl::StatusOr<Config> again = ParseConfig("printed", text);
    ASSERT_TRUE(again.ok()) << again.status() << text;
    EXPECT_EQ(again->pools[0].health_check.send, send);
  }
  const absl::StatusOr<Config> block =
      Load("health_check:\n      type: send_expect\n      send: |\n        a\n        b\n");
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->pools[0].health_check.send, "a\nb\n");
}

TEST(CheckConfigTest, UnixBackends) {
  constexpr absl::string_view kUnix = "{address: \"10.0.0.1:80\"}, {address: \"unix:/run/a\"}";
  EXPECT_EQ(ErrorOf("health_check: {type: tcp}", kUnix), "");
  EXPECT_EQ(ErrorOf("health_check: {type: tcp, address: 10.0.0.1, port: 81}", kUnix), "");
  EXPECT_THAT(ErrorOf("health_check: {type: tcp, port: 81}", kUnix),
              AllOf(HasSubstr("health_check.port: backend \"unix:/run/a\" is a UNIX socket, which "
                              "has no ports"),
                    HasSubstr("set health_check.address, too")));
  EXPECT_THAT(ErrorOf("health_check: {type: tcp, address: 10.0.0.1}", kUnix),
              AllOf(HasSubstr("health_check.address: backend \"unix:/run/a\" is a UNIX socket"),
                    HasSubstr("set health_check.port, too")));
  EXPECT_EQ(ErrorOf("health_check: {type: tcp, port: 81}"), "");
}

TEST(CheckConfigTest, NotAllBackendsAreBackups) {
  EXPECT_EQ(ErrorOf("retries: 1",
                    "{address: \"10.0.0.1:80\", backup: true},"
                    " {address: \"10.0.0.2:80\"}"),
            "");
  EXPECT_THAT(ErrorOf("retries: 1", "{address: \"10.0.0.1:80\", backup: true}"),
              AllOf(StartsWith("x:4:49: pools[0].backends[0].backup: all backends of pool \"p\" "
                               "are backups"),
                    HasSubstr("backups are for when no other backend takes sessions")));
}

TEST(CheckConfigTest, SharesThatAreMiswritten) {
  EXPECT_THAT(ErrorOf("fail_open: {below: 50%}"), HasSubstr("did you mean \"0.5\"?"));
  EXPECT_THAT(ErrorOf("slow_start: {floor: 10}"), HasSubstr("did you mean \"10%\"?"));
  EXPECT_THAT(ErrorOf("on_down: 30s"), HasSubstr("did you mean {drain: 30s}?"));
}

TEST(CheckConfigTest, OriginsNameWhatWasGiven) {
  const absl::StatusOr<LoadedConfig> loaded =
      LoadText("x", Document("health_check: {type: tcp, interval: 200ms}", kBackend));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::string text = PrintWithOrigins(loaded->config, "x", loaded->origins);
  EXPECT_THAT(text, HasSubstr("      interval: 200ms                    # line 5\n"));
  EXPECT_THAT(text, HasSubstr("      timeout: 200ms                     # default\n"));
}

TEST(CheckConfigTest, WithoutOriginsOnlyChangesCount) {
  Config config = *Load("retries: 1");
  EXPECT_TRUE(Validate(config).empty());
  config.pools[0].health_check.fall = 5;
  ASSERT_EQ(Validate(config).size(), 1u);
  EXPECT_EQ(Validate(config)[0].path, "pools[0].health_check.fall");
}

}  // namespace
}  // namespace l4lb

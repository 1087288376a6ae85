// SPDX-License-Identifier: Apache-2.0
//
// Trial N11: edge values are taken with their documented meaning or refused with line and key,
// never cut or wrapped.  10,000 backends load in at most 2 s.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "l4lb/config/load.h"

namespace l4lb {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Parts {
  std::string bind = "\":8080\"";
  std::string address = "\"127.0.0.1:9001\"";
  std::string weight = "1";
  std::string idle_timeout = "1h";
  std::string pool = "web";
  std::string more_of_pool = "retries: 2";
};

std::string Document(const Parts& parts) {
  return absl::StrCat("listeners:\n  - bind: ", parts.bind, "\n    pool: ", parts.pool,
                      "\n    idle_timeout: ", parts.idle_timeout,
                      "\npools:\n  - name: ", parts.pool,
                      "\n    backends:\n      - address: ", parts.address,
                      "\n        weight: ", parts.weight, "\n    ", parts.more_of_pool, "\n");
}

std::string ErrorOf(const Parts& parts) {
  return std::string(ParseConfig("x", Document(parts)).status().message());
}

TEST(EdgeValuesTest, BackendAddresses) {
  EXPECT_THAT(ErrorOf({.address = "\"[::1]:9001\""}), IsEmpty());
  EXPECT_THAT(ErrorOf({.address = "\"127.0.0.1:65535\""}), IsEmpty());
  for (const char* right : {"localhost:9001", "db1.example:65535", "unix:/run/x.sock"}) {
    EXPECT_THAT(ErrorOf({.address = right}), IsEmpty()) << right;
  }
  for (const char* wrong : {"::1:9001",        "127.0.0.1:0",
                            "127.0.0.1:65536", "127.0.0.1:-1",
                            "127.0.0.1:9001x", "127.0.0.1",
                            "\"127.0.0.1:\"",  "256.0.0.1:1",
                            "\"[::1]\"",       "\"\"",
                            "\":9001\"",       "0.0.0.0:9001",
                            "localhost:0",     "127.1:9001",
                            "0x7f000001:9001", "my_db:9001",
                            "-a:9001",         "unix:run/x.sock",
                            "\"unix:\"",       "127.0.0.1:18446744073709551617"}) {
    EXPECT_THAT(ErrorOf({.address = wrong}), HasSubstr("pools[0].backends[0].address: ")) << wrong;
  }
}

TEST(EdgeValuesTest, BindAddresses) {
  for (const char* right :
       {"\"[::1]:9001\"", "127.0.0.1:0", "\":0\"", "[127.0.0.1:1, \":2\"]", "unix:/run/x.sock"}) {
    EXPECT_THAT(ErrorOf({.bind = right}), IsEmpty()) << right;
  }
  for (const char* wrong : {"::1:9001", "127.0.0.1:65536", "127.0.0.1:-1", "9001x", "8080",
                            "\"*:80\"", "unix:x.sock", "localhost:80", "\"\""}) {
    EXPECT_THAT(ErrorOf({.bind = wrong}), HasSubstr("listeners[0].bind[0]: ")) << wrong;
  }
  EXPECT_THAT(ErrorOf({.bind = absl::StrCat("unix:/", std::string(107, 'p'))}), HasSubstr("UNIX"));
  EXPECT_THAT(ErrorOf({.bind = "[]"}), HasSubstr("listeners[0].bind is empty"));
  EXPECT_THAT(ErrorOf({.bind = "[127.0.0.1:1, ::1:2, 127.0.0.1:1]"}),
              AllOf(HasSubstr("x:2:25: listeners[0].bind[1]: "),
                    HasSubstr("x:2:32: listeners[0].bind[2]: address")));
}

TEST(EdgeValuesTest, AddressesWithoutQuotes) {
  EXPECT_THAT(ErrorOf({.bind = "[::1]:80"}),
              AllOf(HasSubstr("x:2:"), HasSubstr("an IPv6 address needs quotes: \"[::1]:80\"")));
  EXPECT_THAT(ErrorOf({.bind = "*:80"}), HasSubstr("x:2:12: no anchor"));
  EXPECT_THAT(ErrorOf({.address = "127.0.0.1:"}), HasSubstr("x:8:"));
}

TEST(EdgeValuesTest, Weights) {
  EXPECT_THAT(ErrorOf({.weight = "0"}), IsEmpty());
  EXPECT_THAT(ErrorOf({.weight = "1000"}), IsEmpty());
  for (const char* wrong : {"-1", "1001", "1000000000000", "18446744073709551617", "1e2", "1.5",
                            "0x10", "one", "\"\"", "~"}) {
    EXPECT_THAT(ErrorOf({.weight = wrong}), HasSubstr("pools[0].backends[0].weight")) << wrong;
  }
}

TEST(EdgeValuesTest, Limits) {
  for (const char* right : {"max_connections: 0", "max_connections: 10000000", "queue: {limit: 0}",
                            "queue: {limit: 10000000, timeout: 1ms}", "queue: {timeout: 1h}"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = right}), IsEmpty()) << right;
  }
  for (const char* wrong :
       {"max_connections: -1", "max_connections: 10000001", "max_connections: auto",
        "queue: {limit: -1}", "queue: {limit: 1e3}", "queue: {timeout: 0}", "queue: {timeout: 2h}",
        "queue: {per: session}", "queue: 5", "policy: maglow"}) {
    const std::string key(absl::string_view(wrong).substr(0, 5));
    EXPECT_THAT(ErrorOf({.more_of_pool = wrong}), AllOf(HasSubstr("x:10:"), HasSubstr(key)))
        << wrong;
  }
}

TEST(EdgeValuesTest, Health) {
  for (const char* right :
       {"fail_open: {below: 0}", "fail_open: {below: 0.01}", "fail_open: {below: 1}",
        "slow_start: {time: 0, floor: 1%}", "slow_start: {time: 1d, floor: 100%}",
        "eject: {consecutive: 0, rate: 0%, max_ejected: 0%}", "eject: {consecutive: 1000}",
        "eject: {rate: 100%, max_ejected: 100%, base: 5m, max: 5m}", "on_down: {drain: 7d}",
        "health_check: {type: tcp, interval: 10ms}", "health_check: {type: tcp, interval: 1h}",
        "health_check: {type: tcp, rise: 100, fall: 1, limit: 1}",
        "health_check: {type: tcp, port: 65535, limit: 64KiB, timeout: 1ms}",
        "health_check: {type: tcp, detector: {type: phi, threshold: 100}}"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = right}), IsEmpty()) << right;
  }
  for (const char* wrong : {"fail_open: {below: 0.001}",
                            "fail_open: {below: 1.01}",
                            "fail_open: {below: -1}",
                            "fail_open: {below: 50%}",
                            "fail_open: 0.5",
                            "slow_start: {floor: 0%}",
                            "slow_start: {floor: 10}",
                            "slow_start: {time: 25h}",
                            "eject: {consecutive: 1001}",
                            "eject: {rate: 101%}",
                            "eject: {max_ejected: 34}",
                            "eject: {base: 0}",
                            "eject: off",
                            "on_down: {drain: 0s}",
                            "on_down: drain",
                            "health_check: {type: ping}",
                            "health_check: tcp",
                            "health_check: {type: tcp, interval: 9ms}",
                            "health_check: {type: tcp, timeout: 0}",
                            "health_check: {type: tcp, rise: 0}",
                            "health_check: {type: tcp, fall: 101}",
                            "health_check: {type: tcp, port: 65536}",
                            "health_check: {type: tcp, limit: 0}",
                            "health_check: {type: tcp, limit: 65KiB}",
                            "health_check: {type: tcp, address: db1}",
                            "health_check: {type: tcp, address: \"10.0.0.1:80\"}",
                            "health_check: {type: tcp, address: 0.0.0.0}",
                            "health_check: {type: tcp, detector: {type: phi, threshold: 0}}"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = wrong}), AllOf(HasSubstr("x:10:"), EndsWith("\n1 error")))
        << wrong;
  }
}

TEST(EdgeValuesTest, Sources) {
  for (const char* right : {"[]", "10.0.0.8", "[10.0.0.8]", "[10.0.0.8, \"::1\"]", "\"::1\"",
                            "[2001:db8::8, 10.0.0.8]"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = absl::StrCat("source: ", right)}), IsEmpty()) << right;
  }
  for (const char* wrong : {"10.0.0.8:80", "256.0.0.1", "0.0.0.0", "[\"::\"]", "eth0", "unix:/x",
                            "[\"[::1]\"]", "10.0.0.0/8", "\"\"", "10.0.8"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = absl::StrCat("source: ", wrong)}),
                HasSubstr("pools[0].source[0]: "))
        << wrong;
  }
}

TEST(EdgeValuesTest, Workers) {
  for (const char* right : {"auto", "1", "256"}) {
    EXPECT_TRUE(ParseConfig("x", absl::StrCat("workers: ", right, "\n", Document({}))).ok())
        << right;
  }
  for (const char* wrong : {"0", "257", "-1", "1.5", "Auto", "\"\"", "all"}) {
    const absl::StatusOr<Config> config =
        ParseConfig("x", absl::StrCat("workers: ", wrong, "\n", Document({})));
    EXPECT_THAT(std::string(config.status().message()),
                AllOf(HasSubstr("x:1:1"), HasSubstr(": workers: ")))
        << wrong;
  }
}

TEST(EdgeValuesTest, Durations) {
  EXPECT_THAT(ErrorOf({.idle_timeout = "5s"}), IsEmpty());
  EXPECT_THAT(ErrorOf({.idle_timeout = "1ms"}), IsEmpty());
  EXPECT_THAT(ErrorOf({.idle_timeout = "365d"}), IsEmpty());
  EXPECT_THAT(ErrorOf({.idle_timeout = "0"}),
              HasSubstr("0 is out of range: it must be 1ms to 365d"));
  EXPECT_THAT(ErrorOf({.idle_timeout = "5"}), HasSubstr("did you mean \"5s\"?"));
  for (const char* wrong : {"1e3", "99999999d", "99999999999999999999s", "-5s", "5 s", ".5s"}) {
    EXPECT_THAT(ErrorOf({.idle_timeout = wrong}), HasSubstr("listeners[0].idle_timeout: "))
        << wrong;
  }
}

TEST(EdgeValuesTest, Names) {
  EXPECT_THAT(ErrorOf({.pool = "b\u00e4cker-\u65e5\u672c"}), IsEmpty());
  EXPECT_THAT(ErrorOf({.pool = "5"}), IsEmpty()) << "a number is a name, too";
  EXPECT_THAT(ErrorOf({.pool = std::string(128, 'n')}), IsEmpty());
  EXPECT_THAT(ErrorOf({.pool = std::string(129, 'n')}), HasSubstr("has 129 bytes; at most 128"));
  EXPECT_THAT(ErrorOf({.pool = "\"a\\nb\""}), HasSubstr("cannot be printed"));
  EXPECT_THAT(ErrorOf({.pool = "\"a\\0b\""}), HasSubstr("cannot be printed"));
}

TEST(EdgeValuesTest, LineEnds) {
  const std::string text = Document({});
  const absl::StatusOr<Config> unix_ends = ParseConfig("x", text);
  const absl::StatusOr<Config> dos_ends =
      ParseConfig("x", absl::StrReplaceAll(text, {{"\n", "\r\n"}}));
  const absl::StatusOr<Config> marked = ParseConfig("x", absl::StrCat("\ufeff", text));
  ASSERT_TRUE(unix_ends.ok() && dos_ends.ok() && marked.ok())
      << dos_ends.status() << marked.status();
  EXPECT_EQ(*unix_ends, *dos_ends);
  EXPECT_EQ(*unix_ends, *marked) << "a byte order mark is no text";
}

TEST(EdgeValuesTest, Tabs) {
  const std::string indented = absl::StrReplaceAll(Document({}), {{"    pool", "\tpool"}});
  const absl::StatusOr<Config> config = ParseConfig("x", indented);
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("x:3:"));
  EXPECT_TRUE(ParseConfig("x", absl::StrReplaceAll(Document({}), {{"pool: ", "pool:\t"}})).ok())
      << "between key and value a tab is a blank";
}

TEST(EdgeValuesTest, TenThousandBackends) {
  std::string text = "listeners: [{bind: \":1\", pool: p}]\npools:\n  - name: p\n    backends:\n";
  for (int i = 0; i < 10'000; ++i) {
    absl::StrAppend(&text, "      - {name: backend-", i, ", address: \"10.0.", i / 250, ".",
                    i % 250, ":80\", weight: ", i % 1000, "}\n");
  }
  const std::clock_t start = std::clock();  // Of this process: other load does not count.
  const absl::StatusOr<Config> config = ParseConfig("x", text);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->pools[0].backends.size(), 10'000u);
  RecordProperty("cpu_milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 10) << "2 s times 5";
}

TEST(EdgeValuesTest, HashPolicies) {
  for (const char* right : {"policy: maglev", "policy: ring", "hash_key: source_ip_port",
                            "table_size: 2", "table_size: 5000011", "points: 1", "points: 10000",
                            "bounded_load: 0", "bounded_load: 1.01", "bounded_load: 100"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = right}), IsEmpty()) << right;
  }
  for (const char* wrong : {"hash_key: source", "table_size: 1", "table_size: 5000012",
                            "table_size: 65536", "points: 0", "points: 10001", "bounded_load: 1",
                            "bounded_load: 100.01", "bounded_load: 1.255", "bounded_load: -1.25"}) {
    EXPECT_THAT(ErrorOf({.more_of_pool = wrong}), HasSubstr("pools[0].")) << wrong;
  }
  EXPECT_THAT(ErrorOf({.more_of_pool = "table_size: 65536"}), HasSubstr("the next one is 65537"));
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "l4lb/config/load.h"
#include "l4lb/config/load_file.h"
#include "tests/config/random_config.h"

namespace l4lb {
namespace {

using ::testing::HasSubstr;

TEST(PrintTest, ReadsBackUnchanged) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    const Config config = RandomConfig(&dice);
    const std::string text = PrintConfig(config);
    const absl::StatusOr<Config> again = ParseConfig("printed", text);
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << again.status() << "\n" << text;
    ASSERT_EQ(*again, config) << "seed " << seed << "\n" << text;
    ASSERT_EQ(PrintConfig(*again), text) << "seed " << seed;
  }
}

constexpr char kEveryDefault[] = R"(workers: auto
engine: auto
buffers:
  size: 16KiB
  count: 4096
max_connections: auto
drain_timeout: 30s
drain_spread: 0s
shutdown_delay: 0s
user: ""
log:
  level: info
access_log:
  path: ""
  format: json
admin:
  bind: auto
  token_file: ""
  read_token_file: ""
  mode: "0660"
watch: false
listeners:
  - name: l
    bind: [":80", "[::1]:81"]
    pool: p
    max_connections: 0
    accept_rate: 0
    per_source:
      max_connections: 0
      rate: 0
    backlog: 4096
    idle_timeout: 1h
    half_close_timeout: 5m
pools:
  - name: p
    policy: least_connections
    hash_key: source_ip
    table_size: 65537
    points: 256
    bounded_load: 0
    source: []
    connect_timeout: 5s
    retries: 2
    max_connections: 0
    queue:
      limit: 1024
      timeout: 5s
      per: pool
    keepalive:
      idle: 30s
      interval: 10s
      count: 3
    dead_after: 1m
    max_connection_age:
      age: 0s
      jitter: 10%
      quiet: 200ms
      grace: 30s
    on_remove: {drain: 30s}
    fail_open:
      below: 0
    slow_start:
      time: 0s
      floor: 10%
    on_down: keep
    eject:
      consecutive: 5
      rate: 50%
      window: 10s
      base: 10s
      max: 5m
      max_ejected: 34%
    health_check:
      type: none
      interval: 2s
      fast_interval: 500ms
      timeout: 1s
      rise: 2
      fall: 3
      address: ""
      port: 0
      send: ""
      send_hex: ""
      expect: ""
      expect_regex: ""
      limit: 64KiB
      path: "/"
      host: ""
      status: "200-399"
      detector:
        type: count
        threshold: 8
    backends:
      - name: a
        address: "10.0.0.1:1"
        weight: 1
        max_connections: 0
        backup: false
        state: ready
      - name: b
        address: "10.0.0.2:1"
        weight: 2
        max_connections: 0
        backup: false
        state: ready
)";

TEST(PrintTest, ShowsEveryDefault) {
  Config config;
  config.listeners = {{.name = "l", .bind = {":80", "[::1]:81"}, .pool = "p"}};
  config.pools = {{.name = "p"}};
  config.pools[0].backends = {{"a", "10.0.0.1:1", 1}, {"b", "10.0.0.2:1", 2}};
  EXPECT_EQ(PrintConfig(config), kEveryDefault);
}

TEST(PrintTest, SaysWhereEachValueCameFrom) {
  const absl::StatusOr<LoadedConfig> loaded =
      LoadText("/etc/x.yaml",
               "listeners:\n  - {bind: \":80\",\n     pool: p}\n"
               "pools: [{name: p, backends: [{address: \"10.0.0.1:1\"}]}]\n");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::string text = PrintWithOrigins(loaded->config, "/etc/x.yaml", loaded->origins);
  EXPECT_THAT(text, HasSubstr("# The effective configuration, from /etc/x.yaml.\n"));
  EXPECT_THAT(text, HasSubstr("    bind: [\":80\"]                        # line 2\n"));
  EXPECT_THAT(text, HasSubstr("    pool: p                              # line 3\n"));
  EXPECT_THAT(text, HasSubstr("    backlog: 4096                        # default\n"));
  EXPECT_THAT(text, HasSubstr("      - name: \"10.0.0.1:1\"               # default\n"));
  const absl::StatusOr<Config> again = ParseConfig("printed", text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, loaded->config);
}

TEST(PrintTest, QuotesWhatIsNotAPlainWord) {
  EXPECT_EQ(QuoteYaml("web-1_a"), "web-1_a");
  EXPECT_EQ(QuoteYaml("No"), "\"No\"");
  EXPECT_EQ(QuoteYaml("1"), "\"1\"");
  EXPECT_EQ(QuoteYaml(""), "\"\"");
  EXPECT_EQ(QuoteYaml("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(QuoteYaml("PING\r\n\t\x01\x7f"), R"("PING\r\n\t\x01\x7f")");
  EXPECT_EQ(QuoteYaml("\u00e4"), "\"\u00e4\"");
}

}  // namespace
}  // namespace l4lb

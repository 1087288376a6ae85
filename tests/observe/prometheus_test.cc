// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "promtool.h"
#include "tests/observe/full_status.h"

namespace l4lb {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// The lines that are no comments.
std::vector<std::string> Series(const ProcessStatus& status) {
  std::vector<std::string> series;
  for (absl::string_view line : absl::StrSplit(PrometheusText(status), '\n', absl::SkipEmpty())) {
    if (!absl::StartsWith(line, "#")) series.emplace_back(line);
  }
  return series;
}

// `name{labels}`: what a series is, without its value.
std::vector<std::string> Identities(const ProcessStatus& status) {
  std::vector<std::string> identities = Series(status);
  for (std::string& identity : identities) identity.resize(identity.rfind(' '));
  return identities;
}

TEST(PrometheusTest, EveryNumberOfTheStatusHasASeries) {
  const FullStatus full;
  std::set<std::string> values;
  for (const std::string& line : Series(full.status))
    values.insert(line.substr(line.rfind(' ') + 1));
  ASSERT_GT(full.values.size(), 300U);
  for (const std::string& value : full.values) EXPECT_THAT(values, Contains(value));
}

TEST(PrometheusTest, PromtoolHasNothingAgainstIt) {
  EXPECT_EQ(Promtool("check metrics <", PrometheusText(FullStatus().status)), "");
  EXPECT_EQ(Promtool("check metrics <", PrometheusText(ProcessStatus{})), "");
  EXPECT_NE(Promtool("check metrics <", "x{ 1\n"), "");
}

TEST(PrometheusTest, NamesAreEscaped) {
  ProcessStatus status;
  status.pools.resize(1);
  status.pools[0].name = R"(a "b" \n c)";
  status.pools[0].backends.resize(1);
  status.pools[0].backends[0].name = "d\ne";
  EXPECT_THAT(Series(status),
              Contains(R"(l4lb_backend_weight{pool="a \"b\" \\n c",backend="d\ne"} 1)"));
}

TEST(PrometheusTest, NoTwoSeriesAreTheSame) {
  const std::vector<std::string> all = Identities(FullStatus().status);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(PrometheusTest, ReasonsAndWorkersStayWhereTheyBelong) {
  for (const std::string& series : Identities(FullStatus().status)) {
    EXPECT_EQ(absl::StrContains(series, "{worker=\""), absl::StartsWith(series, "l4lb_worker_"));
    if (!absl::StrContains(series, "reason=\"")) continue;
    EXPECT_TRUE(absl::StartsWith(series, "l4lb_listener_") ||
                absl::StartsWith(series, "l4lb_pool_"))
        << series;
  }
}

// Traffic makes no new series, only the configuration does.
TEST(PrometheusTest, SeriesDoNotDependOnWhatWasCounted) {
  ProcessStatus status = FullStatus().status;
  const std::vector<std::string> counted = Identities(status);
  for (ListenerStatus& listener : status.listeners) {
    listener.sums = ListenerSums();
    listener.timings = ListenerTimings();
  }
  for (PoolStatus& pool : status.pools) {
    pool.sums = PoolSums();
    pool.timings = PoolTimings();
  }
  for (WorkerStatus& worker : status.workers) worker.sums = WorkerSums();
  EXPECT_EQ(Identities(status), counted);
}

TEST(PrometheusTest, BucketsAccumulate) {
  ProcessStatus status;
  status.pools.resize(1);
  BucketSums<kWaitBoundsMs>& connect = status.pools[0].timings.connect;
  connect.counts[0] = 3;      // Up to 1 ms.
  connect.counts[5] = 2;      // Up to 50 ms.
  connect.counts.back() = 1;  // Above 60 s.
  connect.sum = 70'500;
  std::string text;
  for (const std::string& line : Series(status)) {
    if (absl::StartsWith(line, "l4lb_pool_connect_seconds")) absl::StrAppend(&text, line, "\n");
  }
  EXPECT_EQ(text, R"(l4lb_pool_connect_seconds_bucket{pool="",le="0.001"} 3
l4lb_pool_connect_seconds_bucket{pool="",le="0.002"} 3
l4lb_pool_connect_seconds_bucket{pool="",le="0.005"} 3
l4lb_pool_connect_seconds_bucket{pool="",le="0.01"} 3
l4lb_pool_connect_seconds_bucket{pool="",le="0.02"} 3
l4lb_pool_connect_seconds_bucket{pool="",le="0.05"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="0.1"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="0.2"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="0.5"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="1"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="2"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="5"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="10"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="30"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="60"} 5
l4lb_pool_connect_seconds_bucket{pool="",le="+Inf"} 6
l4lb_pool_connect_seconds_sum{pool=""} 70.5
l4lb_pool_connect_seconds_count{pool=""} 6
)");
}

TEST(PrometheusTest, ABackendIsInOneState) {
  ProcessStatus status;
  status.pools.resize(1);
  status.pools[0].name = "p";
  status.pools[0].backends.resize(1);
  BackendStatus& backend = status.pools[0].backends[0];
  const auto active = [&status] {
    std::string states;
    for (const std::string& line : Series(status)) {
      if (!absl::StartsWith(line, "l4lb_backend_state") || !absl::EndsWith(line, "} 1")) continue;
      absl::StrAppend(&states, line, "\n");
    }
    return states;
  };
  EXPECT_EQ(active(), "l4lb_backend_state{pool=\"p\",backend=\"\",state=\"ready\"} 1\n");
  backend.state = BackendState::kDrain;
  EXPECT_EQ(active(), "l4lb_backend_state{pool=\"p\",backend=\"\",state=\"drain\"} 1\n");
  backend.state = BackendState::kDown;
  EXPECT_EQ(active(), "l4lb_backend_state{pool=\"p\",backend=\"\",state=\"down\"} 1\n");
  backend.removed = true;
  EXPECT_EQ(active(), "l4lb_backend_state{pool=\"p\",backend=\"\",state=\"removed\"} 1\n");
}

TEST(PrometheusTest, WhatIsLeftOfADrainIsThereDuringIt) {
  ProcessStatus status;
  EXPECT_THAT(Series(status), Not(Contains(HasSubstr("drain_left"))));
  status.drain_left_ms = 0;
  EXPECT_THAT(Series(status), Contains("l4lb_process_drain_left_seconds 0"));
}

TEST(PrometheusTest, TheProcessSaysWhatItIs) {
  ProcessStatus status;
  status.version = "1.2.3";
  status.engine = "io_uring";
  status.start_unix_ms = 1'709'251'198'007;
  status.ready = false;
  status.config.hash = "0123456789abcdef";
  status.config.last_error = "l4lb.yaml:1:1: unknown key";
  const std::vector<std::string> series = Series(status);
  EXPECT_THAT(series, Contains(R"(l4lb_process_info{version="1.2.3",engine="io_uring"} 1)"));
  EXPECT_THAT(series, Contains("l4lb_process_start_time_seconds 1709251198.007"));
  EXPECT_THAT(series, Contains("l4lb_process_ready 0"));
  EXPECT_THAT(series, Contains(R"(l4lb_config_info{path="",hash="0123456789abcdef"} 1)"));
  EXPECT_THAT(series, Contains("l4lb_config_last_reload_ok 0"));
}

// A double would round it.
TEST(PrometheusTest, LargeCountsAreExact) {
  ProcessStatus status;
  status.workers.resize(1);
  status.workers[0].sums.spliced_bytes = (uint64_t{1} << 53) + 1;
  EXPECT_THAT(Series(status),
              Contains(R"(l4lb_worker_spliced_bytes_total{worker="0"} 9007199254740993)"));
}

TEST(PrometheusTest, TenThousandBackends) {
  ProcessStatus status;
  status.pools.resize(1);
  for (int i = 0; i < 10'000; ++i) {
    status.pools[0].backends.emplace_back().name = absl::StrCat("backend-", i);
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string text = PrometheusText(status);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::cout << "10,000 backends: " << text.size() << " bytes in " << took.count() << " ms\n";
  size_t series = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    series += absl::StartsWith(line, "l4lb_backend_") ? 1 : 0;
  }
  EXPECT_EQ(series, 140'000U);
}

}  // namespace
}  // namespace l4lb

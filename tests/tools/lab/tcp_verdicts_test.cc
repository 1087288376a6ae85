// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_verdicts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/lab/tcp_report.h"

namespace l4lb::lab {
namespace {

using testing::HasSubstr;

// All requests of a run took `ms`, and the last backend got so many of a hundred.
TcpRow RowOf(const char* label, uint64_t ms, int64_t slow_requests, int64_t failed = 0) {
  TcpRow row = {.group = "queue per backend", .label = label, .world = {.slow = 1, .limit = 32}};
  TrialOutcome run;
  run.seen.parts.resize(TcpClients::kParts);
  Seen::Part& part = run.seen.parts.front();
  part.requests = {100 - slow_requests, 0, 0, slow_requests};
  part.failed = failed;
  for (int i = 0; i < 100; ++i) part.latency_ns.Record(ms * 1'000'000);
  row.runs.push_back(run);
  return row;
}

TEST(TcpVerdictsTest, Slow) {
  const auto verdicts =
      VerdictsOf("slow", {RowOf("round_robin", 4'400, 25), RowOf("random", 900, 25),
                          RowOf("least_connections", 50, 14), RowOf("p2c", 60, 20)});
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_TRUE(verdicts[0].holds);
  EXPECT_FALSE(verdicts[1].holds);  // Not beyond a second.
  EXPECT_TRUE(verdicts[2].holds);
  EXPECT_FALSE(verdicts[3].holds);  // Too large a share.
  EXPECT_THAT(verdicts[0].measured, HasSubstr("25.0 %"));
}

TEST(TcpVerdictsTest, SayNothingAboutWhatWasNotRun) {
  EXPECT_EQ(VerdictsOf("slow", {RowOf("maglev", 1, 1)}).size(), 0u);
  EXPECT_EQ(VerdictsOf("equal", {RowOf("round_robin", 50, 1)}).size(), 0u);
}

TEST(TcpVerdictsTest, SlowDatabase) {
  const auto verdicts = VerdictsOf(
      "slow-database", {RowOf("ask the backend", 5, 0, 0), RowOf("ask the database", 5, 0, 50)});
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_TRUE(verdicts[0].holds);
  EXPECT_TRUE(verdicts[1].holds);
}

TEST(TcpReportTest, SaysWhatWasDisturbed) {
  RunOptions options;
  options.world = {.slow = 1, .limit = 32};
  options.output.ascii = true;
  TcpSurvey survey = {.rows = {RowOf("p2c", 60, 14)}, .engine = "epoll"};
  EXPECT_THAT(TableText(options, survey), testing::Not(HasSubstr("!")));
  EXPECT_THAT(TableText(options, survey), HasSubstr("holds    p2c"));
  survey.rows[0].runs[0].seen.late_ns.Record(50'000'000);
  EXPECT_THAT(TableText(options, survey), HasSubstr("! the machine was busy"));
}

}  // namespace
}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// Whole modes, short: the threads together, also under ThreadSanitizer.
#include "tools/skew/run_mode.h"

#include <numeric>

#include "gtest/gtest.h"
#include "tools/kit/stop_signals.h"

namespace l4lb::skew {
namespace {

Options ShortRun() {
  Options options;
  options.backends = 2;
  options.clients = 6;
  options.rate = 300;
  options.add_at_ms = 400;
  options.duration_ms = 900;
  options.removed = 1;
  options.remove_at_ms = 700;
  options.max_connection_age_ms = 200;
  return options;
}

class RunModeTest : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { kit::BlockSignals(); }
};

TEST_P(RunModeTest, AnswersEverythingAndCountsItOnce) {
  uint64_t seen = 0;
  const auto run =
      RunMode(ShortRun(), GetParam(), std::nullopt, [&seen](int64_t, const Backends& backends) {
        for (const uint64_t served : backends.Served()) seen += served;
        return true;
      });
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_GT(seen, 0u);
  EXPECT_GT(run->tally.sent, 100u);
  EXPECT_EQ(run->tally.answered, run->tally.sent);
  EXPECT_EQ(run->tally.errors, 0u);
  uint64_t latencies = 0;
  for (const Histogram& latency_ns : run->tally.latency_ns) latencies += latency_ns.count();
  EXPECT_EQ(latencies, run->tally.answered);
  // What a connection that was cut never heard of is answered twice, and retried.
  uint64_t served = 0;
  for (const auto& counts : run->observed.requests) {
    served += std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  }
  uint64_t in_lanes = 0;
  for (const Lane& lane : run->observed.lanes) {
    EXPECT_LE(lane.from_ns, lane.to_ns);
    in_lanes += std::accumulate(lane.requests.begin(), lane.requests.end(), uint64_t{0});
  }
  EXPECT_GE(served, run->tally.answered);
  EXPECT_LE(served, run->tally.answered + run->tally.retries);
  EXPECT_EQ(served, in_lanes);
}

TEST(RunMode, EndsWhenItIsTold) {
  kit::BlockSignals();
  const auto run = RunMode(ShortRun(), Mode::kMaglev, std::nullopt,
                           [](int64_t now_ns, const Backends&) { return now_ns < 200'000'000; });
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE(run->interrupted);
  EXPECT_LT(run->schedule.end_ns(), 900'000'000);
  EXPECT_EQ(run->tally.answered, run->tally.sent);
}

INSTANTIATE_TEST_SUITE_P(Modes, RunModeTest, testing::Values(Mode::kAge, Mode::kClient),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/tools/skew/sample_run.h"
#include "tools/skew/json.h"

namespace l4lb::skew {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Page, AsksTheNetworkForNothing) {
  const Options options = SampleOptions();
  const std::string page = PageText(options, SampleOutcome(options));
  for (const char* foreign : {"http:", "https:", "src=", "<link", "@import", "url(", "fetch("}) {
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr("--html=</script>")));
}

TEST(Page, StaysSmallWhateverRunsForHowLong) {
  Options options;
  options.backends = options.added = 100;
  options.duration_ms = 60'000;
  options.add_at_ms = options.duration_ms / 2;
  Outcome outcome;
  for (const auto& [name, mode] : Modes()) {
    ModeRun run = {.mode = mode, .schedule = Schedule(options), .observed = {}, .tally = {}};
    run.observed.requests.assign(200, std::vector<uint32_t>(1200, 5));
    run.observed.lanes.assign(
        2000, {.from_ns = 1, .to_ns = 59'999'000'000, .requests = std::vector<uint32_t>(1200, 1)});
    for (size_t i = 0; i < 2000; ++i) run.observed.lanes[i].backend = static_cast<int>(i % 200);
    outcome.figures.push_back(FiguresOf(options, run));
    outcome.runs.push_back(std::move(run));
  }
  EXPECT_LT(PageText(options, outcome).size(), 600u << 10);
}

TEST(Json, TakesAnyBytesOfACommandLine) {
  Options options = SampleOptions();
  options.command = "l4lb-skew --html=\xff.html";
  EXPECT_TRUE(json::accept(JsonText(options, SampleOutcome(options))));
}

TEST(Json, HasWhatIsPromised) {
  const Options options = SampleOptions();
  const json data = json::parse(JsonText(options, SampleOutcome(options)));
  const json& mode = data.at("modes").at(0);
  EXPECT_EQ(mode.at("mode"), "least_connections");
  EXPECT_EQ(mode.at("before").at("share"), json({0.5, 0.5, 0}));
  EXPECT_EQ(mode.at("after").at("share").size(), 3u);
  EXPECT_TRUE(mode.at("seconds_to_fair").is_null());
  for (const char* name : {"connections_cut", "errors", "retries", "p50_ms", "p99_ms", "jain"}) {
    EXPECT_TRUE(mode.at(name).is_number()) << name;
  }
  EXPECT_FALSE(mode.contains("lanes"));
  EXPECT_EQ(data.at("parameters").at("seed"), 7);
}

TEST(Json, TheirPictureHasConnectionsInCoarserSteps) {
  const Options options = SampleOptions();
  const json mode = json::parse(PageJson(options, SampleOutcome(options))).at("modes").at(0);
  EXPECT_EQ(mode.at("end_s"), 6);
  // 120 steps of 50 ms: three are one of 40 points, six one of 20.
  EXPECT_EQ(mode.at("series").at("requests").at(0).size(), 40u);
  EXPECT_EQ(mode.at("series").at("requests").at(0).at(39), 9);
  const json& lanes = mode.at("lanes").at("lanes");
  EXPECT_EQ(lanes.at(0).at("requests"), json({9}));
  // From 0.87 s on: one in the step before 0.9 s, the others in the next one.
  EXPECT_EQ(lanes.at(1).at("requests"), json({1, 5}));
  EXPECT_EQ(mode.at("lanes").at("left_out"), 0);
}

TEST(Json, LeavesOutConnectionsWhenThereAreTooMany) {
  const Options options = SampleOptions();
  Outcome outcome = SampleOutcome(options);
  auto& kept = outcome.runs[0].observed.lanes;
  kept.clear();
  for (int i = 0; i < 999; ++i) kept.push_back({.backend = i % 3, .requests = {}});
  const json lanes = json::parse(PageJson(options, outcome)).at("modes").at(0).at("lanes");
  EXPECT_EQ(lanes.at("left_out"), 999 - static_cast<int>(lanes.at("lanes").size()));
  std::vector<int> counts(3);
  for (const json& lane : lanes.at("lanes")) ++counts[lane.at("backend").get<size_t>()];
  EXPECT_EQ(counts, std::vector<int>(3, 67));
}

}  // namespace
}  // namespace l4lb::skew

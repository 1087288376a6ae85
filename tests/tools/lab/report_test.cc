// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/lab/numbers.h"
#include "tools/lab/scenes.h"

namespace l4lb::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Findings FindingsOf(const SimulateOptions& options) {
  return {.rows = RunAll(options.world, options.policies, options.effort, [](int, int) {})};
}

SimulateOptions OptionsOf(const char* scene) {
  return {.scene = scene,
          .world = FindScene(scene)->world,
          .effort = {.seeds = 3},
          .output = {.ascii = true}};
}

TEST(ReportTest, SaysWhatGrows) {
  const SimulateOptions options = OptionsOf("slow");
  const std::string text = TableText(options, FindingsOf(options));
  EXPECT_THAT(text, HasSubstr("4 backends, 1 of them 3 times slower; 60 % busy: 500 requests/s"));
  EXPECT_THAT(text, HasSubstr("25.0 %  ^\n"));
  EXPECT_THAT(text, HasSubstr("^ grows as long as requests come"));
  EXPECT_THAT(text, HasSubstr("p99, logarithmic"));
  EXPECT_THAT(text, HasSubstr("####"));
  for (const char character : text) EXPECT_LT(static_cast<unsigned char>(character), 128);
}

TEST(ReportTest, ShowsTheoryWhereThereIsOne) {
  const SimulateOptions options = OptionsOf("sliders");
  const std::string text = TableText(options, FindingsOf(options));
  EXPECT_THAT(text, HasSubstr("61.4  M/M/1"));
  EXPECT_THAT(text, Not(HasSubstr("grows")));
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(ReportTest, JsonHasEveryRun) {
  const SimulateOptions options = OptionsOf("slow");
  const auto json = nlohmann::json::parse(JsonText(options, FindingsOf(options)));
  EXPECT_EQ(json["scene"], "slow");
  EXPECT_EQ(json["world"]["utilisation_percent"], 60);
  ASSERT_EQ(json["policies"].size(), 4u);
  for (const auto& policy : json["policies"]) {
    ASSERT_EQ(policy["runs"].size(), 3u);
    for (const auto& run : policy["runs"]) {
      EXPECT_GT(run["latency_ms"]["p99"], run["latency_ms"]["p50"]);
      EXPECT_EQ(run["shares"].size(), 4u);
    }
  }
  EXPECT_EQ(json["policies"][0]["policy"], "round_robin");
  EXPECT_EQ(json["policies"][0]["growing"], true);
  EXPECT_EQ(json["policies"][3]["growing"], false);
}

// Threads must not change anything but the time it takes.
TEST(ReportTest, IsTheSameOnAnyNumberOfThreads) {
  SimulateOptions options = OptionsOf("add-server");
  options.world.duration_ms = 2'000;
  options.effort.threads = 1;
  const std::string one = JsonText(options, FindingsOf(options));
  options.effort.threads = 4;
  EXPECT_EQ(one, JsonText(options, FindingsOf(options)));
}

TEST(SpreadTest, MedianAndQuantiles) {
  EXPECT_EQ(SpreadOf({3, 1, 2}).median, 2);
  EXPECT_EQ(SpreadOf({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(SpreadOf({3, 1, 2}).least, 1);
  EXPECT_EQ(SpreadOf({3, 1, 2}).most, 3);
  EXPECT_EQ(QuantileOf({5, 4, 3, 2, 1}, 0.01), 1);
  EXPECT_EQ(QuantileOf({5, 4, 3, 2, 1}, 0.99), 5);
  EXPECT_EQ(QuantileOf({5, 4, 3, 2, 1}, 0.4), 2);
}

TEST(MsTextTest, FitsItsColumn) {
  EXPECT_EQ(MsText(0), "0.0");
  EXPECT_EQ(MsText(99.94), "99.9");
  EXPECT_EQ(MsText(120.4), "120");
  EXPECT_EQ(MsText(4'390), "4,390");
  EXPECT_EQ(MsText(1'011'465), "1,011 s");
}

}  // namespace
}  // namespace l4lb::lab

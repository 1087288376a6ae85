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
  EXPECT_EQ(mode.at("series").at("requests").at(0).size(), 24u);
  EXPECT_EQ(mode.at("series").at("requests").at(0).at(23), 15);
  const json& lanes = mode.at("lanes").at("lanes");
  EXPECT_EQ(lanes.at(0).at("requests"), json({9}));
  // From 0.97 s on: one in the step before 1 s, the others in the next one.
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

// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/tools/lookup/sample_survey.h"

namespace l4lb::lookup {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(JsonText, HasTheMembersOfTheReference) {
  const json found = json::parse(JsonText({.nodes = {2}, .seed = 5}, SampleSurvey()));
  const json& row = found.at("rows").at(0);
  EXPECT_EQ(row.at("algorithm"), "maglev");
  EXPECT_EQ(row.at("table_size"), 65537);
  EXPECT_EQ(row.at("points"), 0);
  EXPECT_EQ(row.at("nodes"), 2);
  EXPECT_EQ(row.at("lookup_ns"), 1.25);
  EXPECT_EQ(row.at("lookup_ns_range"), json({1.2, 1.5}));
  EXPECT_EQ(row.at("latency_ns"), 6.5);
  EXPECT_EQ(row.at("build_ms"), 1.125);
  EXPECT_EQ(row.at("memory_bytes"), 131'074);
  EXPECT_EQ(row.at("peak_to_mean"), 1.25);
  EXPECT_EQ(row.at("stddev"), 0.25);
  EXPECT_EQ(row.at("disruption").at("8->10"),
            json({{"moved", 0.8}, {"ideal", 0.2}, {"extra", 0.6}}));
  EXPECT_TRUE(row.at("disruption").at("weight x2").is_null());
  EXPECT_EQ(found.at("parameters").at("seed"), 5);
  EXPECT_EQ(found.at("empty").at("latency_ns"), 4);
}

TEST(JsonText, SaysOfEveryClaimWhetherItHolds) {
  const json claims = json::parse(JsonText({}, SampleSurvey())).at("claims");
  ASSERT_EQ(claims.size(), 2);
  EXPECT_EQ(claims[0].at("expected"), 80);
  EXPECT_EQ(claims[0].at("measured"), 80.5);
  EXPECT_EQ(claims[0].at("holds"), true);
  EXPECT_EQ(claims[1].at("claim"), "it is fast");
  EXPECT_EQ(claims[1].at("holds"), false);
  EXPECT_EQ(claims[1].at("rule"), "at_most");
}

TEST(TableText, SaysTheSame) {
  const std::string text = TableText({.nodes = {2}}, SampleSurvey());
  EXPECT_THAT(text, HasSubstr("  maglev 65537             1.25     6.50     1.125  131.1 kB"
                              "    1.250   25.00\n"));
  EXPECT_THAT(text, HasSubstr("  maglev 65537         37.5+12.5         -\n"));
  EXPECT_THAT(text, HasSubstr("  maglev 65537           80.0+60.0   90.0+80.0\n"));
  EXPECT_THAT(text, HasSubstr("expected 80.0 %, measured 80.5 %\n"));
  EXPECT_THAT(text, HasSubstr("  DOES NOT it is fast\n"
                              "           at most 78.0 ns, measured 99.0 ns (here)\n"));
}

}  // namespace
}  // namespace l4lb::lookup

// SPDX-License-Identifier: Apache-2.0
#include "tools/load/report.h"

#include <gtest/gtest.h>

#include <string>

#include "nlohmann/json.hpp"

namespace l4lb::load {
namespace {

Outcome SampleOutcome() {
  Outcome outcome;
  Tally& tally = outcome.tally;
  tally.operations = 1'234'567;
  tally.bytes_up = 1'000'000'000;
  tally.seconds = 2;
  for (uint64_t us = 1; us <= 1000; ++us) tally.latency_ns.Record(us * 1000);
  return outcome;
}

TEST(ReportTest, JsonHasTheFigures) {
  const auto json = nlohmann::json::parse(JsonText(Options{.work = "echo"}, SampleOutcome()));
  EXPECT_EQ(json["work"], "echo");
  EXPECT_EQ(json["operations"], 1'234'567);
  EXPECT_DOUBLE_EQ(json["rate"], 617'283.5);
  EXPECT_DOUBLE_EQ(json["gbps_up"], 4);
  EXPECT_EQ(json["errors"]["reset"], 0);
  EXPECT_NEAR(json["latency_us"]["p99"], 990, 4);
  EXPECT_DOUBLE_EQ(json["latency_us"]["max"], 1000);
  EXPECT_FALSE(json.contains("ends"));
}

TEST(ReportTest, TableIsForPeople) {
  const std::string text = TableText(Options{.work = "echo"}, SampleOutcome());
  EXPECT_NE(text.find("1,234,567  617,283/s"), std::string::npos) << text;
  EXPECT_NE(text.find("1,000,000,000 B  4.000 Gb/s"), std::string::npos) << text;
  EXPECT_NE(text.find("errors      none"), std::string::npos) << text;
}

TEST(ReportTest, WrongBytesAreToldRatherThanWhatElseFailed) {
  Outcome outcome = SampleOutcome();
  outcome.tally.Fail(Failure::reset, "the first");
  outcome.tally.Fail(Failure::reset, "the second");
  EXPECT_EQ(outcome.tally.first_failure, "the first");
  Tally other;
  other.Fail(Failure::wrong_bytes, "position 5");
  outcome.tally.Merge(other);
  EXPECT_EQ(outcome.tally.first_failure, "position 5");
  const std::string text = TableText(Options{.work = "echo"}, outcome);
  EXPECT_NE(text.find("2 connections reset by the far end"), std::string::npos) << text;
  EXPECT_NE(text.find("first       position 5"), std::string::npos) << text;
}

}  // namespace
}  // namespace l4lb::load

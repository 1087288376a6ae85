// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/record_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/observe/sample_record.h"

namespace l4lb {
namespace {

// A session that ended before anything happened.
SessionRecord EmptyRecord() {
  SessionRecord record;
  record.names = &kSampleNames;
  record.reason = CloseReason::no_backend;
  return record;
}

TEST(RecordFormatTest, Json) {
  EXPECT_EQ(FormatRecord(SampleRecord(), AccessLogFormat::kJson),
            R"({"time":"2024-02-29T23:59:58.007Z","id":42,"listener":"postgres",)"
            R"("client":"192.0.2.7:50123","backend":"pg1","backend_address":"10.0.0.1:5432",)"
            R"("pool":"pg","policy":"round_robin","attempts":1,"queue_ms":0,"connect_ms":3,)"
            R"("first_byte_ms":5,"total_ms":1200,"client_bytes":77,"backend_bytes":1099511627776,)"
            R"("reason":"client_fin","phase":"data"})");
}

TEST(RecordFormatTest, WhatNeverHappenedIsNull) {
  const auto line = nlohmann::json::parse(FormatRecord(EmptyRecord(), AccessLogFormat::kJson));
  for (const char* key : {"backend", "backend_address", "connect_ms", "first_byte_ms"}) {
    EXPECT_TRUE(line.at(key).is_null()) << key;
  }
  EXPECT_EQ(line.at("attempts"), 0);
  EXPECT_EQ(line.at("total_ms"), 0);
  EXPECT_EQ(line.at("client"), "unix");
  EXPECT_EQ(line.at("reason"), "no_backend");
  EXPECT_EQ(line.at("phase"), "connect");
  EXPECT_EQ(line.at("time"), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(line.size(), 17u);
}

TEST(RecordFormatTest, Text) {
  EXPECT_EQ(FormatRecord(SampleRecord(), AccessLogFormat::kText),
            "time=2024-02-29T23:59:58.007Z id=42 listener=postgres client=192.0.2.7:50123 "
            "backend=pg1 backend_address=10.0.0.1:5432 pool=pg policy=round_robin attempts=1 "
            "queue_ms=0 connect_ms=3 first_byte_ms=5 total_ms=1200 client_bytes=77 "
            "backend_bytes=1099511627776 reason=client_fin phase=data");
  EXPECT_NE(FormatRecord(EmptyRecord(), AccessLogFormat::kText)
                .find(" backend=- backend_address=- pool=pg policy=round_robin attempts=0 "
                      "queue_ms=0 connect_ms=- first_byte_ms=- total_ms=0 "),
            std::string::npos);
}

TEST(RecordFormatTest, ALimitIsNamed) {
  SessionRecord record = EmptyRecord();
  record.reason = CloseReason::limit;
  record.limit = Limit::source_rate;
  EXPECT_NE(FormatRecord(record, AccessLogFormat::kJson)
                .find(R"("reason":"limit","limit":"per_source.rate",)"),
            std::string::npos);
}

TEST(RecordFormatTest, HostileNamesStayInTheirField) {
  const SessionNames names = {.listener = "a\"b\nc", .pool = "two words", .policy = "x=y id=1"};
  SessionRecord record = SampleRecord();
  record.names = &names;
  record.backend = "\xFF";
  const auto line = nlohmann::json::parse(FormatRecord(record, AccessLogFormat::kJson));
  EXPECT_EQ(line.at("listener"), "a\"b\nc");
  EXPECT_EQ(line.at("backend"), "\xEF\xBF\xBD");
  const std::string text = FormatRecord(record, AccessLogFormat::kText);
  EXPECT_NE(text.find(R"( listener="a\"b\u000ac" )"), std::string::npos) << text;
  EXPECT_NE(text.find(R"( pool="two words" policy="x=y id=1" )"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(RecordFormatTest, AbsentAndDashNamesDiffer) {
  SessionRecord record = SampleRecord();
  record.backend = "-";
  EXPECT_NE(FormatRecord(record, AccessLogFormat::kText).find(R"( backend="-" )"),
            std::string::npos);
  record.names = nullptr;
  EXPECT_NE(FormatRecord(record, AccessLogFormat::kText).find(R"( listener="" )"),
            std::string::npos);
}

TEST(RecordFormatTest, EveryReasonAndPhaseIsWritten) {
  SessionRecord record = SampleRecord();
  for (int i = 0; i < kCloseReasons; ++i) {
    for (const Phase phase : {Phase::connect, Phase::data}) {
      record.reason = static_cast<CloseReason>(i);
      record.phase = phase;
      const auto line = nlohmann::json::parse(FormatRecord(record, AccessLogFormat::kJson));
      EXPECT_EQ(line.at("reason").get<std::string>(), Name(record.reason));
      EXPECT_EQ(line.at("phase").get<std::string>(), Name(phase));
    }
  }
}

}  // namespace
}  // namespace l4lb

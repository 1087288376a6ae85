// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/record_format.h"

#include <time.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "l4lb/observe/json_text.h"

namespace l4lb {
namespace {

// The decimal digits of `value` into the `width` characters before `end`.
void PutDigits(int value, int width, char* end) {
  for (; width > 0; --width, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

// RFC 3339, UTC, with milliseconds.  By hand: ten times as fast as strftime().
void AppendTime(int64_t unix_ms, std::string* out) {
  const time_t seconds = unix_ms / 1000;
  tm utc;
  gmtime_r(&seconds, &utc);
  char text[] = "0000-00-00T00:00:00.000Z";
  PutDigits(utc.tm_year + 1900, 4, text + 4);
  PutDigits(utc.tm_mon + 1, 2, text + 7);
  PutDigits(utc.tm_mday, 2, text + 10);
  PutDigits(utc.tm_hour, 2, text + 13);
  PutDigits(utc.tm_min, 2, text + 16);
  PutDigits(utc.tm_sec, 2, text + 19);
  PutDigits(static_cast<int>(unix_ms % 1000), 3, text + 23);
  out->append(text, 24);
}

// Writes one field after the other in either format.
class Fields {
 public:
  Fields(AccessLogFormat format, std::string* out)
      : json_(format == AccessLogFormat::kJson), out_(*out) {}

  void Time(const char* key, int64_t unix_ms) {
    Key(key);
    if (json_) out_.push_back('"');
    AppendTime(unix_ms, &out_);
    if (json_) out_.push_back('"');
  }
  void Number(const char* key, uint64_t value) {
    Key(key);
    absl::StrAppend(&out_, value);
  }
  // A negative time is one that never happened.
  void Milliseconds(const char* key, int64_t value) {
    if (value < 0) return Missing(key);
    Number(key, static_cast<uint64_t>(value));
  }
  void Text(const char* key, std::string_view value) {
    Key(key);
    if (json_ || NeedsQuotes(value)) {
      AppendJsonString(value, &out_);
    } else {
      out_.append(value);
    }
  }
  void TextOrNull(const char* key, const char* value) {
    if (value == nullptr) return Missing(key);
    Text(key, value);
  }
  void End() {
    if (json_) out_.push_back('}');
  }

 private:
  void Key(const char* key) {
    if (json_) {
      absl::StrAppend(&out_, first_ ? "{\"" : ",\"", key, "\":");
    } else {
      absl::StrAppend(&out_, first_ ? "" : " ", key, "=");
    }
    first_ = false;
  }
  void Missing(const char* key) {
    Key(key);
    out_.append(json_ ? "null" : "-");
  }
  static bool NeedsQuotes(std::string_view value) {
    return value.empty() || value == "-" || std::any_of(value.begin(), value.end(), [](char c) {
             return c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f;
           });
  }

  const bool json_;
  std::string& out_;
  bool first_ = true;
};

}  // namespace

void AppendRecord(const SessionRecord& record, AccessLogFormat format, std::string* out) {
  static constexpr SessionNames kNoNames;
  const SessionNames& names = record.names != nullptr ? *record.names : kNoNames;
  Fields fields(format, out);
  fields.Time("time", record.end_unix_ms);
  fields.Number("id", record.id);
  fields.Text("listener", names.listener);
  fields.Text("client", record.client.ToString());
  fields.TextOrNull("backend", record.backend);
  fields.TextOrNull("backend_address", record.backend_address);
  fields.Text("pool", names.pool);
  fields.Text("policy", names.policy);
  fields.Number("attempts", record.attempts);
  fields.Milliseconds("queue_ms", record.queue_ms);
  fields.Milliseconds("connect_ms", record.connect_ms);
  fields.Milliseconds("first_byte_ms", record.first_byte_ms);
  fields.Milliseconds("total_ms", record.total_ms);
  fields.Number("client_bytes", record.client_bytes);
  fields.Number("backend_bytes", record.backend_bytes);
  fields.Text("reason", Name(record.reason));
  if (record.limit != Limit::none) fields.Text("limit", KeyOf(record.limit));
  fields.Text("phase", Name(record.phase));
  fields.End();
}

std::string FormatRecord(const SessionRecord& record, AccessLogFormat format) {
  std::string line;
  AppendRecord(record, format, &line);
  return line;
}

}  // namespace l4lb

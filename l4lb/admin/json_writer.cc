// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/json_writer.h"

#include <cmath>

#include "absl/strings/str_format.h"
#include "l4lb/observe/json_text.h"

namespace l4lb {

JsonWriter& JsonWriter::Key(std::string_view name) {
  Separate();
  AppendJsonString(name, &out_);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::Text(std::string_view value) {
  Separate();
  AppendJsonString(value, &out_);
  return *this;
}

JsonWriter& JsonWriter::Decimal(double value) {
  Separate();
  absl::StrAppendFormat(&out_, "%.2f", std::isfinite(value) ? value : 0);  // JSON has no other.
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  out_ += value ? "true" : "false";
  return *this;
}

void JsonWriter::Separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

void JsonWriter::Begin(char bracket) {
  Separate();
  out_ += bracket;
  first_ = true;
}

void JsonWriter::End(char bracket) {
  out_ += bracket;
  first_ = false;
}

}  // namespace l4lb

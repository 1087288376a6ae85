// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON from front to back.  A document tree of 10,000 backends would take megabytes that
// are thrown away at once, ten times a second when a dashboard polls.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace l4lb {

class JsonWriter {
 public:
  /// Each value stands in an object after its Key(), in an array by itself.
  JsonWriter& Key(std::string_view name);
  JsonWriter& Text(std::string_view value);
  template <std::integral Integer>
  JsonWriter& Number(Integer value) {
    Separate();
    absl::StrAppend(&out_, value);
    return *this;
  }
  /// With two decimals.
  JsonWriter& Decimal(double value);
  JsonWriter& Bool(bool value);
  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }

  /// The document.  Nothing may be open any more.
  std::string Take() { return std::move(out_); }

 private:
  void Separate();
  void Begin(char bracket);
  void End(char bracket);

  std::string out_;
  bool first_ = true;  // Nothing stands before the next value, or its key does.
};

}  // namespace l4lb

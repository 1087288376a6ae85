// SPDX-License-Identifier: Apache-2.0
//
// The body of a request: one JSON object with plain values.  Used by the routes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "l4lb/admin/request.h"

namespace l4lb {

struct JsonField {
  enum class Kind { kText, kInteger, kBool, kOther };

  std::string name;
  Kind kind = Kind::kOther;
  std::string
      text;  // Of kInteger its digits, of kBool and kOther what people call it: "true", "null".
};

class JsonBody {
 public:
  /// `known`: the fields that there may be.  An empty body is an empty object.  False: it is no
  /// JSON object, a field is not known, is there twice or is not a plain value.
  static bool Parse(std::string_view text, const std::vector<std::string_view>& known,
                    JsonBody* out, RequestError* error);

  bool empty() const { return fields_.empty(); }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  /// The value of a field that is like a key of the configuration, checked by the key's row.  A
  /// field that is not there leaves `*out` alone.  False: see `error`.
  bool Read(std::string_view name, std::optional<int64_t>* out, RequestError* error) const;
  bool Read(std::string_view name, std::optional<std::string>* out, RequestError* error) const;
  bool Read(std::string_view name, std::optional<bool>* out, RequestError* error) const;

 private:
  const JsonField* Find(std::string_view name) const;

  std::vector<JsonField> fields_;
};

}  // namespace l4lb

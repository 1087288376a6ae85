// SPDX-License-Identifier: Apache-2.0
//
// As much of JSON Schema as openapi.json uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace l4lb {

class SchemaCheck {
 public:
  /// `partial`: the value is an example, which may leave things out.
  SchemaCheck(const nlohmann::json& document, bool partial)
      : document_(document), partial_(partial) {}

  /// What of `value` is not as `schema` says; empty: nothing.
  std::vector<std::string> Check(const nlohmann::json& schema, const nlohmann::json& value);

 private:
  void Visit(const nlohmann::json& schema, const nlohmann::json& value, const std::string& path);
  void VisitObject(const nlohmann::json& schema, const nlohmann::json& value,
                   const std::string& path);

  const nlohmann::json& document_;
  const bool partial_;
  std::vector<std::string> findings_;
};

}  // namespace l4lb

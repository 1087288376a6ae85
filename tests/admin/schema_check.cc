// SPDX-License-Identifier: Apache-2.0
#include "tests/admin/schema_check.h"

#include <algorithm>

namespace l4lb {
namespace {

using Json = nlohmann::json;

bool HasType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  return type == "integer" && value.is_number_integer();
}

}  // namespace

std::vector<std::string> SchemaCheck::Check(const Json& schema, const Json& value) {
  findings_.clear();
  Visit(schema, value, "");
  return findings_;
}

void SchemaCheck::Visit(const Json& schema, const Json& value, const std::string& path) {
  if (schema.contains("$ref")) {
    const std::string pointer = schema["$ref"].get<std::string>().substr(1);
    return Visit(document_.at(Json::json_pointer(pointer)), value, path);
  }
  if (!HasType(value, schema.at("type"))) {
    findings_.push_back(path + " is no " + schema["type"].get<std::string>());
    return;
  }
  if (schema.contains("enum") &&
      std::count(schema["enum"].begin(), schema["enum"].end(), value) == 0) {
    findings_.push_back(path + " has a value that is not listed");
  }
  if (value.is_array()) {
    for (const Json& item : value) Visit(schema.at("items"), item, path + "[]");
  }
  if (value.is_object()) VisitObject(schema, value, path);
}

void SchemaCheck::VisitObject(const Json& schema, const Json& value, const std::string& path) {
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : value.items()) {
    const std::string member_path = path + "." + name;
    if (properties.contains(name)) {
      Visit(properties[name], member, member_path);
    } else if (!schema.contains("additionalProperties")) {
      continue;  // Any object.
    } else if (schema["additionalProperties"].is_object()) {
      Visit(schema["additionalProperties"], member, member_path);
    } else {
      findings_.push_back(member_path + " is not described");
    }
  }
  for (const Json& name : schema.value("required", Json::array())) {
    if (!partial_ && !value.contains(name)) {
      findings_.push_back(path + "." + name.get<std::string>() + " is missing");
    }
  }
}

}  // namespace l4lb

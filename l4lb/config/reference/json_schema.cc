// SPDX-License-Identifier: Apache-2.0
//
// A JSON Schema (draft 07, which editors know best) of the configuration file.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/reference/reference.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDurationPattern = "^([0-9]+(d|h|m|s|ms))+$";
constexpr const char* kSizePattern = "^[0-9]+(KiB|MiB|GiB)?$";

Json Level(absl::string_view level);

Json Integer(const Key& key) {
  const Json number = {{"type", "integer"}, {"minimum", key.min}, {"maximum", key.max}};
  if (key.word.empty()) return number;
  return {{"anyOf", Json::array({Json{{"const", std::string(key.word)}}, number})}};
}

Json Text(const Key& key) {
  if (key.type == KeyType::kText || key.type == KeyType::kWord) {
    return {{"type", {"string", "number", "boolean", "null"}}, {"maxLength", key.max}};
  }
  if (key.may_be_empty()) return {{"type", {"string", "null"}}};
  return {{"type", {"string", "number", "boolean"}}, {"minLength", 1}, {"maxLength", key.max}};
}

Json Sessions() {
  const Json time = {{"type", "string"}, {"pattern", kDurationPattern}};
  return {{"anyOf", Json::array({Json{{"enum", {"keep", "close"}}},
                                 Json{{"type", "object"},
                                      {"additionalProperties", false},
                                      {"required", {"drain"}},
                                      {"properties", {{"drain", time}}}}})}};
}

Json OneOrList(const Json& item, int least) {
  const Json list = {{"type", "array"}, {"items", item}, {"minItems", least}};
  return {{"anyOf", Json::array({item, list})}};
}

Json TypeOf(const Key& key) {
  const Json address = {{"type", "string"}, {"minLength", 1}};
  switch (key.type) {
    case KeyType::kBool:
      return {{"type", "boolean"}};
    case KeyType::kInteger:
      return Integer(key);
    case KeyType::kDuration:
      return {{"type", "string"}, {"pattern", kDurationPattern}};
    case KeyType::kSize:
      return {{"type", {"string", "integer"}},
              {"pattern", kSizePattern},
              {"minimum", key.min},
              {"maximum", key.max}};
    case KeyType::kFactor:
      return {{"type", "number"}, {"minimum", 0}, {"maximum", key.max / 100}};
    case KeyType::kPercentage:
      return {{"type", "string"}, {"pattern", "^[0-9]+%$"}};
    case KeyType::kSessions:
      return Sessions();
    case KeyType::kEnum:
      return {{"enum", std::vector<std::string>(key.choices.begin(), key.choices.end())}};
    case KeyType::kName:
    case KeyType::kPath:
    case KeyType::kUser:
    case KeyType::kText:
    case KeyType::kWord:
    case KeyType::kHostAddress:
      return Text(key);
    case KeyType::kFileMode:
      return {{"type", "string"}, {"pattern", "^0?[0-7]{3}$"}};
    case KeyType::kAdminAddress:
    case KeyType::kBackendAddress:
      return address;
    case KeyType::kBindAddresses:
    case KeyType::kSourceAddresses:
      return OneOrList(address, key.required ? 1 : 0);
    case KeyType::kMapping:
      return Level(ChildLevel(key));
    case KeyType::kList:
      return {{"type", "array"}, {"minItems", 1}, {"items", Level(ChildLevel(key))}};
  }
  return {};
}

std::string Description(const Key& key) {
  std::string text = absl::StrCat(key.summary, ".");
  if (!key.text.empty()) absl::StrAppend(&text, " ", absl::StrReplaceAll(key.text, {{"`", ""}}));
  const std::string range = RangeText(key);
  if (!range.empty() && key.type != KeyType::kEnum) absl::StrAppend(&text, " Range: ", range, ".");
  return text;
}

void AddDefault(const Key& key, Json* schema) {
  if (key.required || key.field.initial == nullptr || !key.default_text.empty()) return;
  if (key.is_address_list()) {
    (*schema)["default"] = Json::array();
    return;
  }
  const std::string text = DefaultText(key);
  absl::string_view time = text;
  if (absl::ConsumePrefix(&time, "{drain: ") && absl::ConsumeSuffix(&time, "}")) {
    (*schema)["default"] = {{"drain", std::string(time)}};
    return;
  }
  const Value value = key.field.initial();
  const bool number = key.type == KeyType::kInteger && text != key.word;
  (*schema)["default"] = number ? Json(std::get<int64_t>(value)) : Json(text);
}

Json Level(absl::string_view level) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Key* key : KeysOfLevel(level)) {
    Json schema = {{"description", Description(*key)}};
    schema.update(TypeOf(*key));
    AddDefault(*key, &schema);
    properties[std::string(key->name())] = schema;
    if (key->required) required.push_back(std::string(key->name()));
  }
  Json object = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!required.empty()) object["required"] = required;
  return object;
}

}  // namespace

std::string JsonSchema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "l4lb configuration"},
                 {"$comment", "Generated by config_reference from the key table; do not edit."}};
  schema.update(Level(""));
  return absl::StrCat(schema.dump(2), "\n");
}

}  // namespace l4lb

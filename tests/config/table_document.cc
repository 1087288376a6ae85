// SPDX-License-Identifier: Apache-2.0
#include "tests/config/table_document.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "l4lb/config/print.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

std::string Level(absl::string_view level, const DocumentEdit& edit);

std::string Entry(const Key& key, const DocumentEdit& edit) {
  const absl::string_view name = key.path == edit.renamed_path ? edit.new_name : key.name();
  std::string value = AnyValue(key);
  if (key.type == KeyType::kMapping) value = Level(ChildLevel(key), edit);
  if (key.type == KeyType::kList) value = absl::StrCat("[", Level(ChildLevel(key), edit), "]");
  return absl::StrCat(name, ": ", value);
}

std::string Level(absl::string_view level, const DocumentEdit& edit) {
  std::vector<std::string> entries;
  if (level == edit.extended_level && !edit.extra.empty()) entries.push_back(edit.extra);
  for (const Key* key : KeysOfLevel(level)) entries.push_back(Entry(*key, edit));
  return absl::StrCat("{", absl::StrJoin(entries, ",\n"), "}");
}

}  // namespace

std::string DocumentWithAllKeys(const DocumentEdit& edit) { return Level("", edit); }

std::vector<std::string> AllLevels() {
  std::vector<std::string> levels = {""};
  for (const Key& key : AllKeys()) {
    if (!KeysOfLevel(ChildLevel(key)).empty()) levels.push_back(ChildLevel(key));
  }
  return levels;
}

std::string AnyValue(const Key& key) {
  // Examples of different types of checks exclude each other.
  if (key.path == "pools[].health_check.type") return "tcp";
  if (absl::StartsWith(key.path, "pools[].health_check.") && key.field.initial != nullptr) {
    return QuoteYaml(FormatValue(key, key.field.initial()));
  }
  if (!key.example.empty()) return std::string(key.example);
  const std::string text = DefaultText(key);
  return text.empty() ? "\"\"" : text;
}

}  // namespace l4lb

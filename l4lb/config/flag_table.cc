// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/flag_table.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace l4lb {
namespace {

std::string ValueText(const Key& key) {
  if (!key.flag_value.empty()) return std::string(key.flag_value);
  switch (key.type) {
    case KeyType::kInteger:
      return key.word.empty() ? "N" : absl::StrCat("N|", key.word);
    case KeyType::kDuration:
      return "DURATION";
    case KeyType::kSize:
      return "SIZE";
    case KeyType::kFactor:
      return "FACTOR";
    case KeyType::kEnum:
      return absl::StrJoin(key.choices, "|");
    case KeyType::kPath:
      return "PATH|-";
    case KeyType::kBindAddresses:
      return "ADDR[,ADDR]";
    default:
      return "TEXT";
  }
}

/// The required ones come first.
void AddFlagsBelow(absl::string_view prefix, std::vector<Flag>* flags) {
  for (const bool required : {true, false}) {
    for (const Key& key : AllKeys()) {
      const bool below =
          prefix.empty() ? !absl::StrContains(key.path, "[]") : absl::StartsWith(key.path, prefix);
      if (key.flag.empty() || !below || key.required != required) continue;
      flags->push_back({key.flag, ValueText(key), &key, key.summary});
    }
  }
}

}  // namespace

const std::vector<Flag>& AllFlags() {
  static const std::vector<Flag>& flags = *[] {
    auto* all = new std::vector<Flag>;
    for (absl::string_view prefix : {"listeners[]", "pools[]", ""}) AddFlagsBelow(prefix, all);
    all->push_back({"config", "FILE", nullptr, "Read all of this from a YAML file instead"});
    all->push_back({"check", "", nullptr, "Check flags or file, say what they amount to, and end"});
    all->push_back(
        {"print_config", "", nullptr,
         "Print the effective configuration as a file, every default included, and end"});
    all->push_back({"dump_table", "FILE", nullptr,
                    "With --check: write the lookup tables of the policies maglev and ring there"});
    all->push_back({"demo", "", nullptr, "Balance over three backends inside this process"});
    all->push_back({"version", "", nullptr, "Print the version and end"});
    all->push_back({"help", "", nullptr, "Print this and end"});
    return all;
  }();
  return flags;
}

const Flag* FindFlag(absl::string_view name) {
  for (const Flag& flag : AllFlags()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

}  // namespace l4lb

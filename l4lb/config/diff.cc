// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/diff.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

std::string NameOf(Owner owner) {
  if (auto* const* listener = std::get_if<Config::Listener*>(&owner)) return (*listener)->name;
  if (auto* const* pool = std::get_if<Config::Pool*>(&owner)) return (*pool)->name;
  return std::get<Config::Backend*>(owner)->name;
}

class Differ {
 public:
  /// `place`: "" or such as "pool a: ".
  void CompareLevel(absl::string_view level, const std::string& place, Owner before, Owner after) {
    for (const Key* key : KeysOfLevel(level)) {
      if (key->type == KeyType::kMapping) {
        CompareLevel(ChildLevel(*key), place, before, after);
      } else if (key->type == KeyType::kList) {
        CompareList(*key, place, before, after);
      } else {
        CompareValue(*key, place, before, after);
      }
    }
  }

  ConfigDiff Take() { return std::move(diff_); }

 private:
  void CompareValue(const Key& key, const std::string& place, Owner before, Owner after) {
    const Value was = key.field.get(before);
    const Value is = key.field.get(after);
    if (was == is) return;
    // Inside an element, from its own level: "keepalive.idle".
    const size_t element = key.path.rfind("[].");
    const absl::string_view name =
        element == absl::string_view::npos ? key.path : key.path.substr(element + 3);
    if (key.type == KeyType::kText) {  // Long, with line ends, and there may be a password in it.
      diff_.changes.push_back(absl::StrCat(place, name, " changed"));
      return;
    }
    (key.reload == Reload::kRestart ? diff_.ignored : diff_.changes)
        .push_back(absl::StrCat(place, name, " ", Text(key, was), " -> ", Text(key, is)));
  }

  static std::string Text(const Key& key, const Value& value) {
    const std::string text = FormatValue(key, value);
    return text.empty() ? "\"\"" : text;
  }

  void CompareList(const Key& key, const std::string& place, Owner before, Owner after) {
    const absl::string_view noun = absl::StripSuffix(key.name(), "s");
    absl::flat_hash_map<std::string, size_t> old;
    for (size_t i = 0; i < key.elements.size(before); ++i) {
      old.emplace(NameOf(key.elements.at(before, i)), i);
    }
    for (size_t i = 0; i < key.elements.size(after); ++i) {
      const Owner is = key.elements.at(after, i);
      const std::string name = NameOf(is);
      const auto found = old.find(name);
      if (found == old.end()) {
        diff_.changes.push_back(absl::StrCat(place, noun, " ", name, " added"));
        continue;
      }
      CompareLevel(ChildLevel(key), absl::StrCat(place, noun, " ", name, ": "),
                   key.elements.at(before, found->second), is);
      old.erase(found);
    }
    for (size_t i = 0; i < key.elements.size(before); ++i) {
      const std::string name = NameOf(key.elements.at(before, i));
      if (old.contains(name)) {
        diff_.changes.push_back(absl::StrCat(place, noun, " ", name, " removed"));
      }
    }
  }

  ConfigDiff diff_;
};

}  // namespace

ConfigDiff DiffConfigs(Config before, Config after) {
  Differ differ;
  differ.CompareLevel("", "", &before, &after);
  return differ.Take();
}

void KeepRestartKeys(Config running, Config* next) {
  for (const Key& key : AllKeys()) {
    if (key.reload != Reload::kRestart || key.field.get == nullptr) continue;
    key.field.set(next, key.field.get(&running));
  }
}

}  // namespace l4lb

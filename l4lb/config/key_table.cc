// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/key_table.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

const std::vector<Key>& Table() {
  static const std::vector<Key>& table =
      *new std::vector<Key>(Concatenate({ProcessKeys(), ListenerKeys(), PoolKeys()}));
  return table;
}

template <typename Matches>
const Key* FindIf(Matches matches) {
  for (const Key& key : Table()) {
    if (matches(key)) return &key;
  }
  return nullptr;
}

}  // namespace

absl::string_view Key::level() const {
  const size_t dot = path.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : path.substr(0, dot);
}

absl::string_view Key::name() const {
  const size_t dot = path.rfind('.');
  return dot == absl::string_view::npos ? path : path.substr(dot + 1);
}

absl::Span<const Key> AllKeys() { return Table(); }

std::vector<const Key*> KeysOfLevel(absl::string_view level) {
  std::vector<const Key*> keys;
  for (const Key& key : Table()) {
    if (key.level() == level) keys.push_back(&key);
  }
  return keys;
}

const Key* FindKey(absl::string_view level, absl::string_view name) {
  return FindIf([&](const Key& key) { return key.name() == name && key.level() == level; });
}

const Key* FindKeyByPath(absl::string_view path) {
  return FindIf([&](const Key& key) { return key.path == path; });
}

const Key* FindKeyByFlag(absl::string_view flag) {
  return FindIf([&](const Key& key) { return !flag.empty() && key.flag == flag; });
}

std::vector<Key> Concatenate(std::vector<std::vector<Key>> parts) {
  std::vector<Key> keys;
  for (std::vector<Key>& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(keys));
  }
  return keys;
}

std::string ChildLevel(const Key& key) {
  return absl::StrCat(key.path, key.type == KeyType::kList ? "[]" : "");
}

std::string DefaultText(const Key& key) {
  if (!key.default_text.empty()) return std::string(key.default_text);
  if (key.required || key.field.initial == nullptr) return "";
  return FormatValue(key, key.field.initial());
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/config_reader.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "l4lb/config/key_advice.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

absl::string_view KindText(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMapping:
      return "a mapping";
  }
  return "";
}

/// The mapping being read: its level in the table, its path with indices, and what it fills in.
struct Place {
  std::string level;
  std::string path;
  Owner owner;

  std::string PathOf(absl::string_view name) const {
    return path.empty() ? std::string(name) : absl::StrCat(path, ".", name);
  }
};

class Reader {
 public:
  Reader(Diagnostics* diagnostics, Origins* origins)
      : diagnostics_(diagnostics), origins_(origins) {}

  void ReadMapping(const YamlNode& node, const Place& place) {
    if (node.kind != YamlNode::Kind::kMapping) {
      WrongKind(node, place.path, "a mapping of keys to values");
      return;
    }
    absl::flat_hash_map<absl::string_view, const YamlNode*> seen;
    absl::flat_hash_set<absl::string_view> meant;  // Misspelled, hence not missing.
    for (const YamlNode::Entry& entry : node.entries) {
      if (entry.key->kind != YamlNode::Kind::kScalar) {
        diagnostics_->Add(entry.key->span, "a key must be a word");
        continue;
      }
      const auto [first, fresh] = seen.try_emplace(entry.key->text, entry.key);
      if (fresh) {
        ReadEntry(entry, place, &meant);
      } else {
        Duplicate(*entry.key, *first->second, place);
      }
    }
    for (const Key* key : KeysOfLevel(place.level)) {
      if (!key->required || seen.contains(key->name()) || meant.contains(key->name())) continue;
      diagnostics_->Add(
          node.span, absl::StrCat(In(place), "\"", key->name(), "\" is missing"),
          key->example.empty() ? "" : absl::StrCat("add ", key->name(), ": ", key->example));
    }
  }

 private:
  static std::string In(const Place& place) {
    return place.path.empty() ? "" : absl::StrCat(place.path, ": ");
  }

  void WrongKind(const YamlNode& node, absl::string_view path, absl::string_view wanted) {
    diagnostics_->Add(node.span, absl::StrCat(path.empty() ? "the file" : path, " must be ", wanted,
                                              ", not ", KindText(node)));
  }

  void Duplicate(const YamlNode& key, const YamlNode& first, const Place& place) {
    diagnostics_->Add(key.span, absl::StrCat(In(place), "\"", Printable(key.text),
                                             "\" is there twice; the first is in line ",
                                             diagnostics_->LineOf(first.span.begin)));
  }

  void ReadEntry(const YamlNode::Entry& entry, const Place& place,
                 absl::flat_hash_set<absl::string_view>* meant) {
    if (const Key* key = FindKey(place.level, entry.key->text)) {
      ReadKey(*key, *entry.value, place);
      return;
    }
    const KeyAdvice advice = AdviseOnUnknownKey(place.level, entry.key->text);
    if (!advice.meant.empty()) {
      meant->insert(advice.meant);
      MarkWrong(place.PathOf(advice.meant), entry.key->span);
    }
    diagnostics_->Add(entry.key->span,
                      absl::StrCat("unknown key \"", Printable(entry.key->text), "\" in ",
                                   place.path.empty() ? LevelText("") : place.path),
                      advice.hint);
  }

  void ReadKey(const Key& key, const YamlNode& node, const Place& place) {
    std::string path = place.PathOf(key.name());
    switch (key.type) {
      case KeyType::kMapping:
        ReadMapping(node, {ChildLevel(key), std::move(path), place.owner});
        return;
      case KeyType::kList:
        ReadList(key, node, {ChildLevel(key), std::move(path), place.owner});
        return;
      case KeyType::kBindAddresses:
      case KeyType::kSourceAddresses:
        ReadAddresses(key, node, {place.level, std::move(path), place.owner});
        return;
      case KeyType::kSessions:
        if (node.kind == YamlNode::Kind::kMapping) {
          ReadDrain(key, node, {place.level, std::move(path), place.owner});
          return;
        }
        break;
      default:
        break;
    }
    Value value;
    if (ReadScalar(key, node, path, &value)) {
      key.field.set(place.owner, std::move(value));
    } else {
      MarkWrong(std::move(path), node.span);
    }
  }

  /// `list` has the level of the elements, the path of the list, and the list's owner.
  void ReadList(const Key& key, const YamlNode& node, const Place& list) {
    if (node.kind != YamlNode::Kind::kSequence) {
      WrongKind(node, list.path, "a list of mappings");
      return;
    }
    if (node.items.empty()) diagnostics_->Add(node.span, absl::StrCat(list.path, " is empty"));
    for (size_t i = 0; i < node.items.size(); ++i) {
      std::string path = absl::StrCat(list.path, "[", i, "]");
      SetOrigin(path, node.items[i]->span);
      ReadMapping(*node.items[i], {list.level, std::move(path), key.elements.append(list.owner)});
    }
  }

  /// `list` has the path of the list.
  void ReadAddresses(const Key& key, const YamlNode& node, const Place& list) {
    std::vector<std::string> addresses;
    Value value;
    SetOrigin(list.path, node.span);
    if (node.kind != YamlNode::Kind::kSequence) {
      if (ReadScalar(key, node, absl::StrCat(list.path, "[0]"), &value)) {
        addresses.push_back(std::get<std::string>(std::move(value)));
      }
    } else {
      if (node.items.empty() && key.required) {
        diagnostics_->Add(node.span, absl::StrCat(list.path, " is empty"));
      }
      for (size_t i = 0; i < node.items.size(); ++i) {
        value = std::string();  // A wrong one keeps its index.
        ReadScalar(key, *node.items[i], absl::StrCat(list.path, "[", i, "]"), &value);
        addresses.push_back(std::get<std::string>(std::move(value)));
      }
    }
    key.field.set(list.owner, std::move(addresses));
  }

  /// {drain: DURATION}.  `sessions` has the path of the mapping.
  void ReadDrain(const Key& key, const YamlNode& node, const Place& sessions) {
    SetOrigin(sessions.path, node.span);
    if (node.entries.size() != 1 || node.entries[0].key->text != "drain") {
      const YamlNode* wrong = &node;
      for (const YamlNode::Entry& entry : node.entries) {
        if (entry.key->text != "drain") wrong = entry.key;
      }
      diagnostics_->Add(wrong->span,
                        absl::StrCat(sessions.path, " must be ", TypeText(key), ", nothing else"));
      return;
    }
    const Key time = {.path = "drain", .type = KeyType::kDuration, .min = key.min, .max = key.max};
    Value value;
    if (ReadScalar(time, *node.entries[0].value, sessions.PathOf(time.path), &value)) {
      key.field.set(sessions.owner, std::move(value));
    }
  }

  bool ReadScalar(const Key& key, const YamlNode& node, const std::string& path, Value* value) {
    const bool may_be_empty = key.may_be_empty() && node.kind == YamlNode::Kind::kNull;
    if (node.kind != YamlNode::Kind::kScalar && !may_be_empty) {
      WrongKind(node, path, absl::StrCat("a value (", TypeText(key), ")"));
      return false;
    }
    SetOrigin(path, node.span);
    const absl::string_view text = may_be_empty ? absl::string_view() : node.text;
    Problem problem;
    if (ParseValue(key, text, value, &problem)) return true;
    diagnostics_->Add(node.span, absl::StrCat(path, ": ", problem.message), problem.hint);
    return false;
  }

  void SetOrigin(std::string path, Span span) {
    origins_->Set(std::move(path), {.span = span, .line = diagnostics_->LineOf(span.begin)});
  }

  void MarkWrong(std::string path, Span span) {
    const size_t line = diagnostics_->LineOf(span.begin);
    origins_->Set(std::move(path), {.span = span, .line = line, .wrong = true});
  }

  Diagnostics* const diagnostics_;
  Origins* const origins_;
};

}  // namespace

void ReadConfig(const YamlNode& root, Diagnostics* diagnostics, Origins* origins, Config* config) {
  Reader(diagnostics, origins).ReadMapping(root, {"", "", config});
}

}  // namespace l4lb

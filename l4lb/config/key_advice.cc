// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/key_advice.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/suggest.h"

namespace l4lb {
namespace {

/// The levels that have a key of this name.
std::vector<std::string> LevelsWith(absl::string_view name) {
  std::vector<std::string> levels;
  for (const Key& key : AllKeys()) {
    if (key.name() == name) levels.push_back(LevelText(key.level()));
  }
  return levels;
}

std::vector<absl::string_view> NamesOf(const std::vector<const Key*>& keys) {
  std::vector<absl::string_view> names;
  for (const Key* key : keys) names.push_back(key->name());
  return names;
}

std::string BelongsIn(absl::string_view name) {
  const std::vector<std::string> levels = LevelsWith(name);
  if (levels.size() == 1 && levels[0] == LevelText("")) return "belongs at the top level";
  return absl::StrCat("belongs in ", JoinNames(levels, "or", levels.size()));
}

}  // namespace

std::string LevelText(absl::string_view level) {
  return level.empty() ? "the top level" : std::string(level);
}

KeyAdvice AdviseOnUnknownKey(absl::string_view level, absl::string_view name) {
  if (name == "<<") return {"merge keys are not supported; write the keys out", ""};
  if (!LevelsWith(name).empty()) return {absl::StrCat("this key ", BelongsIn(name)), ""};

  const std::vector<absl::string_view> here = NamesOf(KeysOfLevel(level));
  const absl::string_view near_here = Nearest(name, here);
  if (!near_here.empty()) return {DidYouMean(name, here), near_here};

  std::vector<absl::string_view> everywhere;
  for (const Key& key : AllKeys()) everywhere.push_back(key.name());
  const absl::string_view near_there = Nearest(name, everywhere);
  if (!near_there.empty()) {
    return {absl::StrCat("did you mean \"", near_there, "\"? it ", BelongsIn(near_there)), ""};
  }
  const std::vector<std::string> allowed(here.begin(), here.end());
  return {absl::StrCat("known here: ", JoinNames(allowed, "and", allowed.size())), ""};
}

}  // namespace l4lb

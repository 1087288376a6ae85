// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/flag_config.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/flag_table.h"
#include "l4lb/config/validate.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

constexpr char kDefaultName[] = "default";
constexpr char kDemoAddress[] = "127.0.0.1:8080";

class Builder {
 public:
  Builder(FlagErrors* errors, LoadedConfig* loaded)
      : errors_(errors), config_(loaded->config), origins_(loaded->origins) {}

  void Build(const GivenFlags& given, bool demo) {
    Config::Listener& listener = config_.listeners.emplace_back();
    listener.name = kDefaultName;
    listener.pool = kDefaultName;
    if (demo) listener.bind = {kDemoAddress};
    if (!demo) config_.admin.bind = kAdminOff;
    if (!demo) config_.pools.emplace_back().name = kDefaultName;
    for (const auto& [name, text] : given) {
      const Key* key = FindKeyByFlag(name);
      const bool of_pool = key != nullptr && absl::StartsWith(key->path, "pools[]");
      if (key != nullptr && !(demo && of_pool)) SetKey(*key, text);
    }
    FillNames(&config_);
    if (!errors_->empty()) return;
    for (const Finding& finding : Validate(config_, origins_)) {
      errors_->Add(absl::StrCat("--", origins_.Around(finding.path).flag), finding.message,
                   finding.hint);
    }
  }

 private:
  void SetKey(const Key& key, absl::string_view text) {
    if (key.path == "pools[].backends") {
      SetBackends(key, text);
    } else if (key.is_address_list()) {
      SetAddresses(key, text);
    } else if (Value value; Parse(key, key.flag, text, &value)) {
      key.field.set(OwnerOf(key), std::move(value));
      SetOrigin(PathOf(key), key.flag);
    }
  }

  void SetAddresses(const Key& key, absl::string_view text) {
    std::vector<std::string> addresses;
    for (absl::string_view part : absl::StrSplit(text, ',')) {
      Value value;
      if (Parse(key, key.flag, part, &value)) addresses.push_back(std::get<std::string>(value));
    }
    for (size_t i = 0; i < addresses.size(); ++i) {
      SetOrigin(absl::StrCat(PathOf(key), "[", i, "]"), key.flag);
    }
    SetOrigin(PathOf(key), key.flag);
    key.field.set(OwnerOf(key), std::move(addresses));
  }

  /// ADDR[*WEIGHT][,...]
  void SetBackends(const Key& key, absl::string_view text) {
    const Key& address = *FindKeyByPath("pools[].backends[].address");
    const Key& weight = *FindKeyByPath("pools[].backends[].weight");
    for (absl::string_view part : absl::StrSplit(text, ',')) {
      const std::string path =
          absl::StrCat(PathOf(key), "[", config_.pools[0].backends.size(), "]");
      Config::Backend& backend = config_.pools[0].backends.emplace_back();
      const size_t star = part.rfind('*');
      Value value;
      if (Parse(address, key.flag, part.substr(0, star), &value)) {
        address.field.set(&backend, std::move(value));
      }
      SetOrigin(absl::StrCat(path, ".address"), key.flag);
      SetOrigin(path, key.flag);
      if (star == part.npos) continue;
      if (Parse(weight, key.flag, part.substr(star + 1), &value)) {
        weight.field.set(&backend, std::move(value));
      }
      SetOrigin(absl::StrCat(path, ".weight"), key.flag);
    }
  }

  bool Parse(const Key& key, absl::string_view flag, absl::string_view text, Value* value) {
    Problem problem;
    if (ParseValue(key, text, value, &problem)) return true;
    const absl::string_view subject = key.flag == flag ? "" : key.name();
    errors_->Add(absl::StrCat("--", flag),
                 absl::StrCat(subject, subject.empty() ? "" : " ", problem.message), problem.hint);
    return false;
  }

  Owner OwnerOf(const Key& key) {
    if (absl::StartsWith(key.path, "listeners[]")) return &config_.listeners[0];
    if (absl::StartsWith(key.path, "pools[]")) return &config_.pools[0];
    return &config_;
  }

  static std::string PathOf(const Key& key) {
    std::string path(key.path);
    const size_t list = path.find("[]");
    if (list != path.npos) path.insert(list + 1, "0");
    return path;
  }

  void SetOrigin(std::string path, absl::string_view flag) {
    origins_.Set(std::move(path), {.flag = std::string(flag)});
  }

  FlagErrors* const errors_;
  Config& config_;
  Origins& origins_;
};

}  // namespace

LoadedConfig ConfigFromFlags(const GivenFlags& given, bool demo, FlagErrors* errors) {
  LoadedConfig loaded;
  Builder(errors, &loaded).Build(given, demo);
  return loaded;
}

}  // namespace l4lb

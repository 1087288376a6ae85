// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/validate_health.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "l4lb/config/check_values.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/units.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

using CheckType = Config::CheckType;

constexpr absl::string_view kChecks = "pools[].health_check";

struct KeyOfType {
  absl::string_view name;
  CheckType type;
};
constexpr KeyOfType kKeysOfTypes[] = {
    {"send", CheckType::kSendExpect},   {"send_hex", CheckType::kSendExpect},
    {"expect", CheckType::kSendExpect}, {"expect_regex", CheckType::kSendExpect},
    {"path", CheckType::kHttp},         {"host", CheckType::kHttp},
    {"status", CheckType::kHttp},
};

absl::string_view NameOf(CheckType type) {
  return FindKey(kChecks, "type")->choices[static_cast<size_t>(type)];
}

/// The type that a key is of; tcp stands for all of them.
CheckType TypeOf(absl::string_view name) {
  for (const KeyOfType& key : kKeysOfTypes) {
    if (key.name == name) return key.type;
  }
  return CheckType::kTcp;
}

/// Two durations, of which the first must not be the longer one.
struct Times {
  absl::string_view name;
  absl::Duration time;
  absl::Duration initial;  // The default of `time`.
  absl::string_view most_name;
  absl::Duration most;
};

/// The checks of one pool, or its ejection.
class PoolValidator {
 public:
  PoolValidator(const Config::Pool& pool, std::string path, const Origins& origins,
                std::vector<Finding>* findings)
      : pool_(pool), path_(std::move(path)), origins_(origins), findings_(findings) {
    only_checks_.health_check = pool.health_check;
  }

  void Validate() {
    CheckBackups();
    const Config::Eject& eject = pool_.eject;
    CheckTimes("eject", {"base", eject.base, Config::Eject().base, "max", eject.max});
    const Origin* type = origins_.Find(PathOf("type"));
    if (type != nullptr && type->wrong) return;  // Nobody knows what the rest belongs to.
    if (check().type == CheckType::kNone) {
      CheckNone(type != nullptr);
      return;
    }
    CheckKeysOfTypes();
    const Config::HealthCheck initial;
    CheckTimes("health_check", {"fast_interval", check().fast_interval, initial.fast_interval,
                                "interval", check().interval});
    CheckPlace();
    if (check().type == CheckType::kSendExpect) CheckSendExpect();
    if (check().type == CheckType::kHttp) CheckHttp();
  }

 private:
  const Config::HealthCheck& check() const { return pool_.health_check; }

  std::string PathOf(absl::string_view name) const {
    return absl::StrCat(path_, ".health_check.", name);
  }

  void Add(absl::string_view name, std::string message, std::string hint = "") {
    findings_->push_back(
        {.path = PathOf(name), .message = std::move(message), .hint = std::move(hint)});
  }

  /// `key` stands below health_check.
  bool IsChanged(const Key& key) { return key.field.get(&only_checks_) != key.field.initial(); }

  void CheckBackups() {
    const auto is_backup = [](const Config::Backend& backend) { return backend.backup; };
    if (pool_.backends.empty() ||
        !std::all_of(pool_.backends.begin(), pool_.backends.end(), is_backup)) {
      return;
    }
    findings_->push_back({.path = absl::StrCat(path_, ".backends[0].backup"),
                          .message = absl::StrCat("all backends of pool \"", Printable(pool_.name),
                                                  "\" are backups"),
                          .hint = "backups are for when no other backend takes sessions"});
  }

  void CheckTimes(absl::string_view mapping, const Times& times) {
    if (times.time <= times.most) return;
    // At the one that was set.
    const bool at_most = times.time == times.initial;
    const std::string time = FormatDurationMs(absl::ToInt64Milliseconds(times.time));
    const std::string most = FormatDurationMs(absl::ToInt64Milliseconds(times.most));
    findings_->push_back(
        {.path = absl::StrCat(path_, ".", mapping, ".", at_most ? times.most_name : times.name),
         .message =
             absl::StrCat(times.name, " ", time, " is longer than ", times.most_name, " ", most),
         .hint = absl::StrCat("set ", times.name, " to at most ", most, ", or ", times.most_name,
                              " to at least ", time)});
  }

  /// One finding: all other keys have the same cure.  A type that is none may stand beside
  /// defaults, as --print_config writes it.
  void CheckNone(bool is_type_given) {
    for (const Key& key : AllKeys()) {
      absl::string_view name = key.path;
      if (!absl::ConsumePrefix(&name, kChecks) || !absl::ConsumePrefix(&name, ".")) continue;
      if (key.field.get == nullptr || name == "type") continue;
      const bool given = !is_type_given && origins_.Find(PathOf(name)) != nullptr;
      if (!given && !IsChanged(key)) continue;
      const absl::string_view wanted = NameOf(TypeOf(name));
      if (is_type_given) {
        Add(name, "has no effect while type is none",
            absl::StrCat("set type to ", wanted, ", or remove all others"));
      } else {
        Add(name, "has no effect without a type", absl::StrCat("add type: ", wanted));
      }
      return;
    }
  }

  void CheckKeysOfTypes() {
    for (const KeyOfType& key : kKeysOfTypes) {
      if (key.type == check().type || !IsChanged(*FindKey(kChecks, key.name))) continue;
      Add(key.name,
          absl::StrCat("belongs to the type ", NameOf(key.type), ", and type is ",
                       NameOf(check().type)),
          absl::StrCat("set type to ", NameOf(key.type), ", or remove it"));
    }
    const Config::Detector& detector = check().detector;
    if (detector.type != Config::DetectorType::kPhi &&
        detector.threshold != Config::Detector().threshold) {
      Add("detector.threshold", "belongs to the detector phi, and detector.type is count",
          "set detector.type to phi, or remove it; of count it is fall that counts");
    }
  }

  void CheckPlace() {
    for (const Config::Backend& backend : pool_.backends) {
      if (!absl::StartsWith(backend.address, "unix:")) continue;
      const std::string what =
          absl::StrCat("backend \"", Printable(backend.name), "\" is a UNIX socket");
      if (check().port != 0 && check().address.empty()) {
        Add("port", absl::StrCat(what, ", which has no ports"), "set health_check.address, too");
        return;
      }
      if (check().port == 0 && !check().address.empty()) {
        Add("address", absl::StrCat(what, ", which has no port to check there"),
            "set health_check.port, too");
        return;
      }
    }
  }

  void CheckSendExpect() {
    std::string bytes;
    std::string error;
    if (!ParseHexBytes(check().send_hex, &bytes, &error)) {
      Add("send_hex", error, "two digits are written for each byte, like 50 49 4e 47");
    }
    if (!CheckRegex(check().expect_regex, &error)) {
      Add("expect_regex",
          absl::StrCat("RE2 does not take ", Quoted(check().expect_regex), ": ", Printable(error)));
    }
    ExcludeEachOther("send", check().send, "send_hex", check().send_hex);
    ExcludeEachOther("expect", check().expect, "expect_regex", check().expect_regex);
    if (check().expect.size() > static_cast<size_t>(check().limit)) {
      Add("expect",
          absl::StrCat("has ", check().expect.size(), " bytes, and limit is ",
                       FormatSize(check().limit)),
          "what is expected must fit into what is read");
    }
  }

  void ExcludeEachOther(absl::string_view name, const std::string& value,
                        absl::string_view other_name, const std::string& other) {
    if (value.empty() || other.empty()) return;
    Add(other_name, absl::StrCat("cannot stand together with ", name), "remove one of them");
  }

  void CheckHttp() {
    if (!absl::StartsWith(check().path, "/")) {
      Add("path", absl::StrCat(Quoted(check().path), " does not begin with a slash"),
          absl::StrCat("did you mean \"/", Printable(check().path), "\"?"));
    }
    std::vector<std::pair<int, int>> ranges;
    std::string error;
    if (!ParseStatusRanges(check().status, &ranges, &error)) {
      Add("status", error, "statuses are written like 200-399 or 200,204,300-399");
    }
  }

  const Config::Pool& pool_;
  Config::Pool only_checks_;  // For the key table, which wants one that is not const.
  const std::string path_;
  const Origins& origins_;
  std::vector<Finding>* const findings_;
};

}  // namespace

void FillCheckTimes(const Origins& origins, Config* config) {
  for (size_t i = 0; i < config->pools.size(); ++i) {
    Config::HealthCheck& check = config->pools[i].health_check;
    const std::string path = absl::StrCat("pools[", i, "].health_check.");
    if (check.type == CheckType::kNone) continue;
    for (auto [name, time] :
         {std::pair{"timeout", &check.timeout}, std::pair{"fast_interval", &check.fast_interval}}) {
      if (origins.Find(absl::StrCat(path, name)) == nullptr) {
        *time = std::min(*time, check.interval);
      }
    }
  }
}

void ValidateHealth(const Config& config, const Origins& origins, std::vector<Finding>* findings) {
  for (size_t i = 0; i < config.pools.size(); ++i) {
    PoolValidator(config.pools[i], absl::StrCat("pools[", i, "]"), origins, findings).Validate();
  }
}

}  // namespace l4lb

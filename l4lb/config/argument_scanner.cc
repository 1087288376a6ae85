// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/argument_scanner.h"

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "l4lb/config/flag_table.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

std::string NearestFlagHint(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Flag& flag : AllFlags()) names.push_back(flag.name);
  const absl::string_view nearest = Nearest(name, names);
  return nearest.empty() ? "l4lb --help lists all flags"
                         : absl::StrCat("did you mean --", nearest, "?");
}

/// "--name=value" in its parts.
struct Argument {
  absl::string_view name;
  std::optional<absl::string_view> value;
};

Argument Split(absl::string_view text) {
  absl::ConsumePrefix(&text, "-");
  absl::ConsumePrefix(&text, "-");
  const size_t equals = text.find('=');
  if (equals == text.npos) return {text, std::nullopt};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool LooksLikeFlag(absl::string_view text) { return text.size() > 1 && text[0] == '-'; }

class Scanner {
 public:
  Scanner(const std::vector<absl::string_view>& arguments, FlagErrors* errors)
      : arguments_(arguments), errors_(errors) {}

  std::vector<std::string> Scan() {
    while (next_ < arguments_.size()) {
      const absl::string_view text = arguments_[next_++];
      if (LooksLikeFlag(text) && text != "--") {
        ScanFlag(Split(text));
      } else if (text != "--") {
        errors_->Add(absl::StrCat("\"", Printable(text), "\""), "only flags are taken here",
                     "every flag begins with --");
      }
    }
    return std::move(found_);
  }

 private:
  void ScanFlag(Argument argument) {
    const Flag* flag = FindFlag(argument.name);
    if (flag == nullptr) flag = FindNegated(&argument);
    const std::string where = absl::StrCat("--", Printable(argument.name));
    if (flag == nullptr) {
      errors_->Add(where, "no such flag", NearestFlagHint(argument.name));
    } else if (!given_.insert(flag->name).second) {
      errors_->Add(where, "is given twice", "give it once");
    } else if (flag->is_switch()) {
      ScanSwitch(argument, where);
    } else {
      ScanValue(argument, where, *flag);
    }
  }

  /// `--nocheck` is `--check=false`.
  static const Flag* FindNegated(Argument* argument) {
    absl::string_view name = argument->name;
    if (argument->value || !absl::ConsumePrefix(&name, "no")) return nullptr;
    const Flag* flag = FindFlag(name);
    if (flag == nullptr || !flag->is_switch()) return nullptr;
    *argument = {name, "false"};
    return flag;
  }

  void ScanSwitch(const Argument& argument, absl::string_view where) {
    const absl::string_view value = argument.value.value_or("true");
    if (value != "true" && value != "false") {
      errors_->Add(where, absl::StrCat("\"", Printable(value), "\" is neither true nor false"));
      return;
    }
    found_.push_back(absl::StrCat("--", argument.name, "=", value));
  }

  void ScanValue(Argument argument, absl::string_view where, const Flag& flag) {
    const bool can_take_next =
        next_ < arguments_.size() && !LooksLikeFlag(arguments_[next_]) && arguments_[next_] != "--";
    if (!argument.value && can_take_next) argument.value = arguments_[next_++];
    if (argument.value.value_or("").empty()) {
      errors_->Add(where, "needs a value", absl::StrCat("--", flag.name, "=", flag.value));
      return;
    }
    found_.push_back(absl::StrCat("--", argument.name, "=", *argument.value));
  }

  const std::vector<absl::string_view>& arguments_;
  FlagErrors* const errors_;
  size_t next_ = 0;
  std::vector<std::string> found_;
  absl::flat_hash_set<absl::string_view> given_;
};

}  // namespace

void FlagErrors::Add(absl::string_view where, absl::string_view message, absl::string_view hint) {
  lines_.push_back(absl::StrCat(where, ": ", message, hint.empty() ? "" : "; ", hint));
}

std::string FlagErrors::ToString() const {
  std::string text = absl::StrJoin(lines_, "\n");
  if (lines_.size() > 1) absl::StrAppend(&text, "\n", lines_.size(), " errors");
  return text;
}

std::vector<std::string> ScanArguments(const std::vector<absl::string_view>& arguments,
                                       FlagErrors* errors) {
  return Scanner(arguments, errors).Scan();
}

}  // namespace l4lb

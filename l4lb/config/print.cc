// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/print.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/load.h"
#include "l4lb/config/utf8.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

constexpr int kCommentColumn = 40;

bool IsPlainWord(absl::string_view text) {
  constexpr absl::string_view kReserved[] = {"null", "true", "false", "yes", "no",
                                             "on",   "off",  "y",     "n"};
  if (text.empty() || !absl::ascii_isalpha(text[0])) return false;
  const std::string lower = absl::AsciiStrToLower(text);
  if (std::find(std::begin(kReserved), std::end(kReserved), lower) != std::end(kReserved)) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; });
}

class Printer {
 public:
  /// `origins` may be nullptr: no comments.
  explicit Printer(const Origins* origins) : origins_(origins) {}

  void PrintLevel(absl::string_view level, const std::string& path, Owner owner) {
    for (const Key* key : KeysOfLevel(level)) {
      const std::string key_path =
          path.empty() ? std::string(key->name()) : absl::StrCat(path, ".", key->name());
      if (key->type == KeyType::kMapping) {
        PrintLine(absl::StrCat(key->name(), ":"), "");
        indent_ += 2;
        PrintLevel(ChildLevel(*key), key_path, owner);
        indent_ -= 2;
      } else if (key->type == KeyType::kList) {
        PrintList(*key, key_path, owner);
      } else {
        PrintLine(absl::StrCat(key->name(), ": ", ValueText(*key, owner)), Comment(key_path));
      }
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void PrintList(const Key& key, const std::string& path, Owner owner) {
    const size_t size = key.elements.size(owner);
    PrintLine(absl::StrCat(key.name(), size == 0 ? ": []" : ":"), "");
    indent_ += 4;
    for (size_t i = 0; i < size; ++i) {
      const size_t start = out_.size();
      PrintLevel(ChildLevel(key), absl::StrCat(path, "[", i, "]"), key.elements.at(owner, i));
      out_[start + indent_ - 2] = '-';
    }
    indent_ -= 4;
  }

  static std::string ValueText(const Key& key, Owner owner) {
    const Value value = key.field.get(owner);
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      return absl::StrCat("[",
                          absl::StrJoin(*list, ", ",
                                        [](std::string* out, const auto& text) {
                                          absl::StrAppend(out, QuoteYaml(text));
                                        }),
                          "]");
    }
    const auto* text = std::get_if<std::string>(&value);
    return text == nullptr ? FormatValue(key, value) : QuoteYaml(*text);
  }

  std::string Comment(const std::string& path) const {
    if (origins_ == nullptr) return "";
    const Origin* origin = origins_->Find(path);
    if (origin == nullptr) return "default";
    return origin->line == 0 ? absl::StrCat("--", origin->flag)
                             : absl::StrCat("line ", origin->line);
  }

  void PrintLine(absl::string_view text, absl::string_view comment) {
    const std::string line = absl::StrCat(std::string(indent_, ' '), text);
    if (comment.empty()) {
      absl::StrAppend(&out_, line, "\n");
    } else {
      absl::StrAppendFormat(&out_, "%-*s # %s\n", kCommentColumn, line, comment);
    }
  }

  const Origins* const origins_;
  size_t indent_ = 0;
  std::string out_;
};

std::string Print(Config config, const Origins* origins) {
  Printer printer(origins);
  printer.PrintLevel("", "", &config);
  return printer.Take();
}

}  // namespace

std::string QuoteYaml(absl::string_view text) {
  if (IsPlainWord(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      absl::StrAppend(&quoted, "\\", std::string(1, c));
    } else if (c == '\n' || c == '\r' || c == '\t') {
      absl::StrAppend(&quoted, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    } else if (absl::ascii_iscntrl(c)) {
      absl::StrAppendFormat(&quoted, "\\x%02x", c);
    } else {
      quoted.push_back(c);
    }
  }
  return absl::StrCat(quoted, "\"");
}

std::string PrintConfig(const Config& config) { return Print(config, nullptr); }

std::string PrintWithOrigins(const Config& config, absl::string_view source,
                             const Origins& origins) {
  const std::string from = source == "flags" ? "the command line" : Printable(source);
  return absl::StrCat("# The effective configuration, from ", from, ".\n", Print(config, &origins));
}

}  // namespace l4lb

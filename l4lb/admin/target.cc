// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/target.h"

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr std::string_view kUnreserved = "-._~:@!$*(),";

int HexDigit(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  return absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : -1;
}

/// nullopt: an escape is broken, or it is of a NUL.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  return out;
}

/// Cuts off what stands before `separator`, which goes too.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const size_t end = text->find(separator);
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(end == text->npos ? text->size() : end + 1);
  return part;
}

bool Broken(std::string_view part, RequestError* error) {
  const std::string shown = Quoted(absl::string_view(part.data(), part.size()));
  *error = {.what = absl::StrCat(shown, " has a broken percent escape, or a NUL"),
            .right = "% is written as %25, and each escape has two hexadecimal digits"};
  return false;
}

bool ParsePath(std::string_view path, Target* out, RequestError* error) {
  if (path.empty() || path[0] != '/') {
    *error = {.what = "the path does not begin with /", .right = "such as /v1/status"};
    return false;
  }
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view part = TakeUntil('/', &path);
    const std::optional<std::string> segment = PercentDecode(part, false);
    if (!segment) return Broken(part, error);
    out->segments.push_back(*segment);
  }
  return true;
}

bool ParseQuery(std::string_view query, Target* out, RequestError* error) {
  while (!query.empty()) {
    const std::string_view pair = TakeUntil('&', &query);
    if (pair.empty()) continue;
    std::string_view rest = pair;
    const std::optional<std::string> name = PercentDecode(TakeUntil('=', &rest), true);
    const std::optional<std::string> value = PercentDecode(rest, true);
    if (!name || !value) return Broken(pair, error);
    out->query.emplace_back(*name, *value);
  }
  return true;
}

}  // namespace

std::string Target::path() const {
  std::string text;
  for (const std::string& segment : segments) absl::StrAppend(&text, "/", PercentEncode(segment));
  return text.empty() ? "/" : text;
}

bool ParseTarget(std::string_view text, Target* out, RequestError* error) {
  *out = {};
  std::string_view query = text.substr(0, text.find('#'));
  const std::string_view path = TakeUntil('?', &query);
  return ParsePath(path, out, error) && ParseQuery(query, out, error);
}

std::string PercentEncode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isalnum(c) || kUnreserved.find(c) != kUnreserved.npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    }
  }
  return out;
}

}  // namespace l4lb

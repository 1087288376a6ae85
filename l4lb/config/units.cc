// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/units.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace l4lb {
namespace {

struct Unit {
  absl::string_view name;
  int64_t factor;
};

constexpr Unit kDurationUnits[] = {
    {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};
constexpr Unit kSizeUnits[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}};

/// Takes the digits that `text` begins with.
std::optional<int64_t> TakeDigits(absl::string_view* text) {
  size_t count = 0;
  int64_t number = 0;
  for (; count < text->size() && absl::ascii_isdigit((*text)[count]); ++count) {
    const int64_t digit = (*text)[count] - '0';
    number = number > (kHugeNumber - 9) / 10 ? kHugeNumber : number * 10 + digit;
  }
  if (count == 0) return std::nullopt;
  text->remove_prefix(count);
  return number;
}

absl::string_view TakeLetters(absl::string_view* text) {
  const size_t count =
      std::find_if_not(text->begin(), text->end(), absl::ascii_isalpha) - text->begin();
  const absl::string_view letters = text->substr(0, count);
  text->remove_prefix(count);
  return letters;
}

int64_t MultiplyCut(int64_t number, int64_t factor) {
  return number > kHugeNumber / factor ? kHugeNumber : number * factor;
}

template <size_t size>
const Unit* FindUnit(const Unit (&units)[size], absl::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

/// Splits "16 kB" into 16 and "kb"; nothing else may be in the text.
bool SplitNumberAndWord(absl::string_view text, std::string* digits, std::string* word) {
  const absl::string_view before = text;
  if (!TakeDigits(&text)) return false;
  *digits = std::string(before.substr(0, before.size() - text.size()));
  text = absl::StripLeadingAsciiWhitespace(text);
  *word = absl::AsciiStrToLower(TakeLetters(&text));
  return text.empty();
}

}  // namespace

std::optional<int64_t> ParseWholeNumber(absl::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  const std::optional<int64_t> number = TakeDigits(&text);
  if (!number || !text.empty()) return std::nullopt;
  return negative ? -*number : *number;
}

std::optional<int64_t> ParseDurationMs(absl::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  int64_t total = 0;
  while (!text.empty()) {
    const std::optional<int64_t> number = TakeDigits(&text);
    if (!number) return std::nullopt;
    const Unit* unit = FindUnit(kDurationUnits, TakeLetters(&text));
    if (unit == nullptr) return std::nullopt;
    total = std::min(kHugeNumber, total + MultiplyCut(*number, unit->factor));
  }
  return total;
}

std::string FormatDurationMs(int64_t ms) {
  if (ms == 0) return "0s";
  std::string text;
  for (const Unit& unit : kDurationUnits) {
    if (unit.name == "d" && (ms < 2 * unit.factor || ms % unit.factor != 0)) continue;
    if (ms >= unit.factor) absl::StrAppend(&text, ms / unit.factor, unit.name);
    ms %= unit.factor;
  }
  return text;
}

std::optional<int64_t> ParseSize(absl::string_view text) {
  const std::optional<int64_t> number = TakeDigits(&text);
  if (!number) return std::nullopt;
  if (text.empty()) return number;
  const Unit* unit = FindUnit(kSizeUnits, text);
  if (unit == nullptr) return std::nullopt;
  return MultiplyCut(*number, unit->factor);
}

std::string FormatSize(int64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    if (bytes != 0 && bytes % unit.factor == 0) return absl::StrCat(bytes / unit.factor, unit.name);
  }
  return absl::StrCat(bytes);
}

std::string SuggestDuration(absl::string_view text) {
  std::string digits;
  std::string word;
  if (!SplitNumberAndWord(text, &digits, &word)) return "";
  if (word.empty()) return absl::StrCat(digits, "s");
  if (word == "ms" || word.substr(0, 5) == "milli") return absl::StrCat(digits, "ms");
  for (const Unit& unit : kDurationUnits) {
    if (unit.name[0] == word[0]) return absl::StrCat(digits, unit.name.substr(0, 1));
  }
  return "";
}

std::string SuggestSize(absl::string_view text) {
  std::string digits;
  std::string word;
  if (!SplitNumberAndWord(text, &digits, &word) || word.empty()) return "";
  if (word == "b" || word.substr(0, 4) == "byte") return digits;
  for (const Unit& unit : kSizeUnits) {
    if (absl::ascii_tolower(unit.name[0]) == word[0]) return absl::StrCat(digits, unit.name);
  }
  return "";
}

std::optional<int64_t> ParsePercent(absl::string_view text) {
  constexpr size_t kPlaces = 2;
  const size_t point = std::min(text.find('.'), text.size());
  absl::string_view places = text.substr(std::min(point + 1, text.size()));
  const bool has_point = point < text.size();
  if (has_point && (places.empty() || places.size() > kPlaces)) return std::nullopt;
  const std::optional<int64_t> whole = ParseWholeNumber(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > kHugeNumber / 1000) return std::nullopt;
  int64_t hundredths = 0;
  for (size_t i = 0; i < kPlaces; ++i) {
    const char digit = i < places.size() ? places[i] : '0';
    if (digit < '0' || digit > '9') return std::nullopt;
    hundredths = hundredths * 10 + (digit - '0');
  }
  return *whole * 100 + hundredths;
}

std::string FormatPercent(int64_t percent) {
  std::string text = absl::StrCat(percent / 100);
  const int64_t places = percent % 100;
  if (places == 0) return text;
  absl::StrAppend(&text, ".", places / 10);
  if (places % 10 != 0) absl::StrAppend(&text, places % 10);
  return text;
}

}  // namespace l4lb

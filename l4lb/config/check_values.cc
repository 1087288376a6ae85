// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/check_values.h"

#include <re2/re2.h>

#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "l4lb/config/units.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr int64_t kLeastStatus = 100;
constexpr int64_t kMostStatus = 599;

bool ParseStatus(absl::string_view text, absl::string_view part, int* status, std::string* error) {
  const std::optional<int64_t> number = ParseWholeNumber(text);
  if (!number) {
    *error = absl::StrCat(Quoted(part), " is neither a status nor a range of them");
  } else if (*number < kLeastStatus || *number > kMostStatus) {
    *error =
        absl::StrCat(Quoted(text), " is no status: it must be ", kLeastStatus, " to ", kMostStatus);
  } else {
    *status = static_cast<int>(*number);
    return true;
  }
  return false;
}

}  // namespace

bool ParseHexBytes(absl::string_view text, std::string* bytes, std::string* error) {
  std::string read;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    for (size_t digit = i; digit < i + 2; ++digit) {
      if (digit >= text.size() || text[digit] == ' ') {
        *error = absl::StrCat("the digit ", Quoted(text.substr(i, 1)), ", character ", i + 1,
                              ", has no second one");
        return false;
      }
      if (!absl::ascii_isxdigit(text[digit])) {
        *error = absl::StrCat(Quoted(text.substr(digit, 1)), ", character ", digit + 1,
                              ", is no hex digit");
        return false;
      }
    }
    read += absl::HexStringToBytes(text.substr(i, 2));
    i += 2;
  }
  *bytes = std::move(read);
  return true;
}

bool ParseStatusRanges(absl::string_view text, std::vector<std::pair<int, int>>* ranges,
                       std::string* error) {
  if (text.empty()) {
    *error = "is empty";
    return false;
  }
  std::vector<std::pair<int, int>> read;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, absl::MaxSplits('-', 1));
    std::pair<int, int> range;
    if (!ParseStatus(ends.front(), part, &range.first, error)) return false;
    if (!ParseStatus(ends.back(), part, &range.second, error)) return false;
    if (range.first > range.second) {
      *error = absl::StrCat(Quoted(part), " ends before it begins");
      return false;
    }
    read.push_back(range);
  }
  *ranges = std::move(read);
  return true;
}

bool CheckRegex(absl::string_view regex, std::string* error) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  const re2::RE2 compiled(re2::StringPiece(regex.data(), regex.size()), options);
  if (compiled.ok()) return true;
  *error = compiled.error();
  return false;
}

}  // namespace l4lb

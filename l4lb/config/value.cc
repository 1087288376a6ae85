// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/value.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "l4lb/config/address_value.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/units.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr absl::string_view kKeepSessions = "keep";
constexpr absl::string_view kCloseSessions = "close";

std::string FormatSessions(absl::Duration time) {
  if (time == absl::InfiniteDuration()) return std::string(kKeepSessions);
  if (time == absl::ZeroDuration()) return std::string(kCloseSessions);
  return absl::StrCat("{drain: ", FormatDurationMs(absl::ToInt64Milliseconds(time)), "}");
}

std::string FormatNumber(const Key& key, int64_t number) {
  if (key.type == KeyType::kDuration || key.type == KeyType::kSessions) {
    return FormatDurationMs(number);
  }
  if (key.type == KeyType::kSize) return FormatSize(number);
  if (key.type == KeyType::kFactor) return FormatPercent(number);
  if (key.type == KeyType::kPercentage) return absl::StrCat(number, "%");
  return absl::StrCat(number);
}

bool InRange(const Key& key, int64_t number) {
  return number >= key.min && number <= key.max && number % key.step == 0;
}

bool CheckRange(const Key& key, absl::string_view text, int64_t number, Problem* problem) {
  if (InRange(key, number)) return true;
  if (number < key.min || number > key.max) {
    problem->message = absl::StrCat(
        Printable(text), " is out of range: ", key.range_note.empty() ? "" : key.range_note);
    if (key.range_note.empty()) absl::StrAppend(&problem->message, "it must be ", RangeText(key));
  } else {
    problem->message =
        absl::StrCat(Printable(text), " is not a multiple of ", FormatNumber(key, key.step));
  }
  return false;
}

bool ParseBool(absl::string_view text, Value* value, Problem* problem) {
  if (text == "true" || text == "false") {
    *value = text == "true";
    return true;
  }
  problem->message = absl::StrCat(Quoted(text), " is neither true nor false");
  return false;
}

bool ParseInteger(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (!key.word.empty() && text == key.word) {
    *value = key.word_value;
    return true;
  }
  const std::optional<int64_t> number = ParseWholeNumber(text);
  if (!number) {
    problem->message = absl::StrCat(Quoted(text), " is not a whole number");
    if (!key.word.empty()) {
      absl::StrAppend(&problem->message, " and not \"", key.word, "\"");
      problem->hint = DidYouMean(text, {key.word});
    }
    return false;
  }
  *value = *number;
  return CheckRange(key, text, *number, problem);
}

bool ParseDuration(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (const std::optional<int64_t> ms = ParseDurationMs(text)) {
    *value = absl::Milliseconds(*ms);
    return CheckRange(key, text, *ms, problem);
  }
  const bool bare = ParseWholeNumber(text).has_value();
  problem->message = absl::StrCat(Quoted(text), bare ? " has no unit" : " is not a duration");
  problem->hint = "a duration is written like 250ms, 5s or 1h30m";
  const std::string suggestion = SuggestDuration(text);
  const std::optional<int64_t> suggested = ParseDurationMs(suggestion);
  if (suggested && InRange(key, *suggested)) {
    problem->hint = absl::StrCat("did you mean \"", suggestion, "\"?");
  }
  return false;
}

bool ParseSizeValue(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (const std::optional<int64_t> bytes = ParseSize(text)) {
    *value = *bytes;
    return CheckRange(key, text, *bytes, problem);
  }
  const std::string suggestion = SuggestSize(text);
  problem->message = absl::StrCat(Quoted(text), " is not a size");
  problem->hint = suggestion.empty() ? "a size is written like 4096, 16KiB or 1MiB"
                                     : absl::StrCat("did you mean \"", suggestion, "\"?");
  return false;
}

bool ParsePercentage(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  absl::string_view digits = text;
  const bool has_sign = absl::ConsumeSuffix(&digits, "%");
  const std::optional<int64_t> number = ParseWholeNumber(digits);
  if (has_sign && number) {
    *value = *number;
    return CheckRange(key, text, *number, problem);
  }
  problem->message = absl::StrCat(Quoted(text), " is not a percentage");
  problem->hint = number && InRange(key, *number)
                      ? absl::StrCat("did you mean \"", FormatNumber(key, *number), "\"?")
                      : "a percentage is written like 10%";
  return false;
}

bool ParseFactor(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (text == key.word) {
    *value = key.word_value;
    return true;
  }
  if (const std::optional<int64_t> percent = ParsePercent(text)) {
    *value = *percent;
    return CheckRange(key, text, *percent, problem);
  }
  problem->message = absl::StrCat(Quoted(text), " is not a decimal with at most two places");
  problem->hint = "a factor is written like 1.25";
  Value share;
  Problem ignored;
  if (ParsePercentage(key, text, &share, &ignored)) {
    problem->hint = absl::StrCat("did you mean \"", FormatPercent(std::get<int64_t>(share)), "\"?");
  }
  return false;
}

bool ParseSessions(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  absl::string_view time = text;
  if (absl::ConsumePrefix(&time, "{drain: ") && absl::ConsumeSuffix(&time, "}")) {
    return ParseDuration(key, time, value, problem);
  }
  if (text == kKeepSessions) {
    *value = absl::InfiniteDuration();
    return true;
  }
  if (text == kCloseSessions) {
    *value = absl::ZeroDuration();
    return true;
  }
  problem->message =
      absl::StrCat(Quoted(text), " is unknown; allowed: keep, close, or {drain: DURATION}");
  problem->hint = ParseDurationMs(text) ? absl::StrCat("did you mean {drain: ", text, "}?")
                                        : DidYouMean(text, {kKeepSessions, kCloseSessions});
  return false;
}

bool ParseEnum(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  for (size_t i = 0; i < key.choices.size(); ++i) {
    if (text != key.choices[i]) continue;
    *value = static_cast<int64_t>(i);
    return true;
  }
  problem->message = absl::StrCat(Quoted(text), " is unknown; allowed: ", RangeText(key));
  problem->hint = DidYouMean(text, key.choices);
  return false;
}

bool ParseText(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  if (text.empty() && key.type == KeyType::kName) {
    problem->message = "is empty";
  } else if (text.size() > static_cast<size_t>(key.max)) {
    problem->message = absl::StrCat("has ", text.size(), " bytes; at most ", key.max, " may be");
  } else if (!IsPrintableText(text)) {
    problem->message = absl::StrCat(Quoted(text), " has characters that cannot be printed");
  } else {
    *value = std::string(text);
    return true;
  }
  return false;
}

bool ParseAscii(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  const auto wrong = std::find_if(text.begin(), text.end(), [&](char c) {
    return key.type == KeyType::kWord ? !absl::ascii_isgraph(c)
                                      : c == '\0' || !absl::ascii_isascii(c);
  });
  if (text.size() > static_cast<size_t>(key.max)) {
    problem->message = absl::StrCat("has ", text.size(), " bytes; at most ", key.max, " may be");
  } else if (wrong == text.end()) {
    *value = std::string(text);
    return true;
  } else if (key.type == KeyType::kWord) {
    problem->message = absl::StrCat(Quoted(text), " has a byte that may not be, ",
                                    wrong - text.begin() + 1, ". of ", text.size());
    problem->hint = "printable ASCII without blanks may be";
  } else {
    problem->message = absl::StrCat(Quoted(text), " has a byte that is not ASCII or 0, the ",
                                    wrong - text.begin() + 1, ". of ", text.size());
    problem->hint = std::string(key.range_note);
  }
  return false;
}

bool ParseMode(absl::string_view text, Value* value, Problem* problem) {
  mode_t mode = 0;
  if (ParseFileMode(std::string(text), &mode)) {
    *value = absl::StrFormat("%04o", mode);
    return true;
  }
  problem->message = absl::StrCat(Quoted(text), " is not a file mode");
  problem->hint = "a mode is written in octal, like 0660";
  return false;
}

}  // namespace

bool ParseValue(const Key& key, absl::string_view text, Value* value, Problem* problem) {
  switch (key.type) {
    case KeyType::kBool:
      return ParseBool(text, value, problem);
    case KeyType::kInteger:
      return ParseInteger(key, text, value, problem);
    case KeyType::kDuration:
      return ParseDuration(key, text, value, problem);
    case KeyType::kSize:
      return ParseSizeValue(key, text, value, problem);
    case KeyType::kFactor:
      return ParseFactor(key, text, value, problem);
    case KeyType::kPercentage:
      return ParsePercentage(key, text, value, problem);
    case KeyType::kSessions:
      return ParseSessions(key, text, value, problem);
    case KeyType::kEnum:
      return ParseEnum(key, text, value, problem);
    case KeyType::kName:
    case KeyType::kPath:
    case KeyType::kUser:
      return ParseText(key, text, value, problem);
    case KeyType::kText:
    case KeyType::kWord:
      return ParseAscii(key, text, value, problem);
    case KeyType::kFileMode:
      return ParseMode(text, value, problem);
    case KeyType::kAdminAddress:
    case KeyType::kBackendAddress:
    case KeyType::kBindAddresses:
    case KeyType::kSourceAddresses:
    case KeyType::kHostAddress:
      return ParseAddress(key, text, value, problem);
    case KeyType::kMapping:
    case KeyType::kList:
      break;
  }
  problem->message = "is not a single value";
  return false;
}

std::string FormatValue(const Key& key, const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return absl::StrCat("[", absl::StrJoin(*list, ", "), "]");
  }
  if (const auto* duration = std::get_if<absl::Duration>(&value)) {
    return key.type == KeyType::kSessions ? FormatSessions(*duration)
                                          : FormatDurationMs(absl::ToInt64Milliseconds(*duration));
  }
  const int64_t number = std::get<int64_t>(value);
  if (key.type == KeyType::kEnum) return std::string(key.choices[number]);
  if (!key.word.empty() && number == key.word_value) return std::string(key.word);
  return FormatNumber(key, number);
}

std::string RangeText(const Key& key) {
  switch (key.type) {
    case KeyType::kEnum:
      return absl::StrJoin(key.choices, ", ");
    case KeyType::kInteger:
    case KeyType::kDuration:
    case KeyType::kSize:
    case KeyType::kFactor:
    case KeyType::kPercentage:
    case KeyType::kSessions:
      break;
    case KeyType::kName:
    case KeyType::kPath:
    case KeyType::kUser:
    case KeyType::kText:
    case KeyType::kWord:
      return absl::StrCat("at most ", key.max, " bytes");
    default:
      return "";
  }
  const std::string word = key.word.empty() ? "" : absl::StrCat(key.word, " or ");
  if (key.min == key.max) return absl::StrCat(word, FormatNumber(key, key.min));
  return absl::StrCat(word, FormatNumber(key, key.min), " to ", FormatNumber(key, key.max));
}

absl::string_view TypeText(const Key& key) {
  switch (key.type) {
    case KeyType::kBool:
      return "true or false";
    case KeyType::kInteger:
      return "integer";
    case KeyType::kDuration:
      return "duration";
    case KeyType::kSize:
      return "size";
    case KeyType::kFactor:
      return "decimal";
    case KeyType::kPercentage:
      return "percentage";
    case KeyType::kSessions:
      return "keep, close, or {drain: DURATION}";
    case KeyType::kEnum:
      return "one of";
    case KeyType::kName:
      return "text";
    case KeyType::kText:
      return "ASCII text";
    case KeyType::kWord:
      return "ASCII without blanks";
    case KeyType::kPath:
      return "file path";
    case KeyType::kUser:
      return "user name";
    case KeyType::kFileMode:
      return "octal file mode";
    case KeyType::kAdminAddress:
    case KeyType::kBackendAddress:
      return "address";
    case KeyType::kBindAddresses:
      return "address, or list of addresses";
    case KeyType::kHostAddress:
      return "IP address";
    case KeyType::kSourceAddresses:
      return "IP address, or list of IP addresses";
    case KeyType::kMapping:
      return "mapping";
    case KeyType::kList:
      return "list of mappings";
  }
  return "";
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/health/expectation.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"

namespace l4lb {
namespace {

constexpr size_t kQuotedBytes = 32;

std::string QuotedShort(absl::string_view bytes) {
  const bool cut = bytes.size() > kQuotedBytes;
  return absl::StrCat("\"", absl::CHexEscape(bytes.substr(0, kQuotedBytes)), cut ? "..." : "",
                      "\"");
}

class TextExpectation final : public Expectation {
 public:
  explicit TextExpectation(std::string text) : text_(std::move(text)) {}

  Answer Look(absl::string_view received) const override {
    return absl::StrContains(received, text_) ? Answer::kMet : Answer::kMore;
  }
  std::string Text() const override { return QuotedShort(text_); }

 private:
  const std::string text_;
};

RE2::Options RegexOptions() {
  RE2::Options options(RE2::Latin1);  // Bytes, whatever they are.
  options.set_log_errors(false);
  return options;
}

class RegexExpectation final : public Expectation {
 public:
  explicit RegexExpectation(const std::string& regex) : regex_(regex, RegexOptions()) {}

  const RE2& regex() const { return regex_; }
  Answer Look(absl::string_view received) const override {
    const re2::StringPiece bytes(received.data(), received.size());
    return RE2::PartialMatch(bytes, regex_) ? Answer::kMet : Answer::kMore;
  }
  std::string Text() const override {
    return absl::StrCat("a match of ", QuotedShort(regex_.pattern()));
  }

 private:
  const RE2 regex_;
};

// `HTTP/1.1 200 OK`: a d is a digit, and an e the end of the status.
constexpr absl::string_view kStatusLine = "HTTP/1.d ddde";
constexpr size_t kStatusAt = 9;

bool Fits(char pattern, char c) {
  switch (pattern) {
    case 'd':
      return absl::ascii_isdigit(c);
    case 'e':
      return c == ' ' || c == '\r' || c == '\n';
    default:
      return c == pattern;
  }
}

class HttpExpectation final : public Expectation {
 public:
  explicit HttpExpectation(std::vector<StatusRange> ranges) : ranges_(std::move(ranges)) {}

  Answer Look(absl::string_view received) const override {
    if (!Begins(received)) return Answer::kRefuted;
    const std::optional<int> status = Status(received);
    if (!status.has_value()) return Answer::kMore;
    return Wanted(*status) ? Answer::kMet : Answer::kRefuted;
  }
  std::string Text() const override {
    return absl::StrCat("HTTP status ",
                        absl::StrJoin(ranges_, ",", [](std::string* out, const StatusRange& range) {
                          absl::StrAppend(out, range.first);
                          if (range.last != range.first) absl::StrAppend(out, "-", range.last);
                        }));
  }
  std::string Mismatch(absl::string_view received) const override {
    const std::optional<int> status = Status(received);
    return status.has_value() ? absl::StrCat("HTTP status ", *status)
                              : Expectation::Mismatch(received);
  }

 private:
  // Whether it is the beginning of a status line, or may become one.
  static bool Begins(absl::string_view received) {
    const size_t size = std::min(received.size(), kStatusLine.size());
    return std::equal(kStatusLine.begin(), kStatusLine.begin() + size, received.begin(), Fits);
  }
  static std::optional<int> Status(absl::string_view received) {
    if (received.size() < kStatusLine.size() || !Begins(received)) return std::nullopt;
    int status = 0;
    for (const char c : received.substr(kStatusAt, 3)) status = status * 10 + (c - '0');
    return status;
  }
  bool Wanted(int status) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [status](const StatusRange& range) {
      return range.first <= status && status <= range.last;
    });
  }

  const std::vector<StatusRange> ranges_;
};

}  // namespace

std::string QuotedBytes(absl::string_view bytes) {
  return absl::StrCat(QuotedShort(bytes), " (", bytes.size(),
                      bytes.size() == 1 ? " byte" : " bytes", ")");
}

std::string Expectation::Mismatch(absl::string_view received) const {
  return absl::StrCat("expected ", Text(), ", got ", QuotedBytes(received));
}

std::shared_ptr<const Expectation> ExpectText(std::string text) {
  return std::make_shared<TextExpectation>(std::move(text));
}

absl::StatusOr<std::shared_ptr<const Expectation>> ExpectRegex(const std::string& regex) {
  auto expectation = std::make_shared<RegexExpectation>(regex);
  if (!expectation->regex().ok()) {
    return absl::InvalidArgumentError(expectation->regex().error());
  }
  return expectation;
}

std::shared_ptr<const Expectation> ExpectHttpStatus(std::vector<StatusRange> ranges) {
  return std::make_shared<HttpExpectation>(std::move(ranges));
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/suggest.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr size_t kLongest = 64;  // Bounds the work; no name of ours is longer.

std::string Normalized(absl::string_view text) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(text), {{"-", "_"}});
}

/// Edits, where exchanging two neighbours is one edit (optimal string alignment).
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> two_above(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    std::swap(two_above, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

absl::string_view Nearest(absl::string_view text,
                          const std::vector<absl::string_view>& candidates) {
  if (text.empty() || text.size() > kLongest) return "";
  const std::string wanted = Normalized(text);
  absl::string_view nearest;
  size_t best = std::max<size_t>(1, text.size() / 3) + 1;
  for (absl::string_view candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t distance = Distance(wanted, Normalized(candidate));
    if (distance >= best || distance >= candidate.size()) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(absl::string_view text, const std::vector<absl::string_view>& candidates) {
  const absl::string_view nearest = Nearest(text, candidates);
  return nearest.empty() ? "" : absl::StrCat("did you mean \"", Printable(nearest), "\"?");
}

std::string JoinNames(const std::vector<std::string>& names, absl::string_view conjunction,
                      size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (i > 0) absl::StrAppend(&text, last ? absl::StrCat(" ", conjunction, " ") : ", ");
    if (i == most && !last) {
      return absl::StrCat(text.substr(0, text.size() - 2), " ", conjunction, " ",
                          names.size() - most, " more");
    }
    absl::StrAppend(&text, names[i]);
  }
  return text;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/diagnostics.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

// A longer line is cut around the place, so that an excerpt stays one line on a terminal.
constexpr size_t kMostBefore = 60;
constexpr size_t kMostAfter = 40;

/// Moves `offset` back to the first byte of its character, but not to before `least`.
size_t CharacterStart(absl::string_view text, size_t offset, size_t least) {
  while (offset > least && offset < text.size() && (text[offset] & 0xC0) == 0x80) --offset;
  return offset;
}

/// Blanks as wide as the text: tabs stay tabs.
std::string Blanks(absl::string_view text) {
  std::string blanks;
  while (!text.empty()) blanks.push_back(TakeCharacter(&text) == '\t' ? '\t' : ' ');
  return blanks;
}

/// Like Printable(), but tabs stay.
std::string PrintableLine(absl::string_view line) {
  std::string text;
  for (size_t tab = line.find('\t'); tab != line.npos; tab = line.find('\t')) {
    absl::StrAppend(&text, Printable(line.substr(0, tab)), "\t");
    line.remove_prefix(tab + 1);
  }
  return absl::StrCat(text, Printable(line));
}

}  // namespace

Diagnostics::Diagnostics(absl::string_view path, absl::string_view text)
    : path_(path), text_(text), line_starts_{0} {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

void Diagnostics::Add(Span span, std::string message, std::string hint) {
  entries_.push_back({span, std::move(message), std::move(hint)});
}

size_t Diagnostics::LineOf(size_t offset) const {
  return std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin();
}

size_t Diagnostics::ColumnOf(size_t offset) const {
  const size_t start = line_starts_[LineOf(offset) - 1];
  return CountCharacters(text_.substr(start, offset - start)) + 1;
}

size_t Diagnostics::OffsetOf(size_t line, size_t column) const {
  const size_t index = std::clamp<size_t>(line, 1, line_starts_.size()) - 1;
  absl::string_view rest = text_.substr(line_starts_[index]);
  for (size_t i = 1; i < column && !rest.empty() && rest[0] != '\n'; ++i) TakeCharacter(&rest);
  return text_.size() - rest.size();
}

absl::string_view Diagnostics::LineText(size_t line) const {
  absl::string_view text = text_.substr(line_starts_[line - 1]);
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

std::string Diagnostics::Excerpt(const Entry& entry) const {
  const size_t line = LineOf(entry.span.begin);
  absl::string_view text = LineText(line);
  size_t begin = std::min(entry.span.begin - line_starts_[line - 1], text.size());
  size_t end = std::clamp(entry.span.end - line_starts_[line - 1], begin, text.size());

  const size_t cut = begin > kMostBefore ? CharacterStart(text, begin - kMostBefore, 0) : 0;
  text = text.substr(cut);
  begin -= cut;
  end = CharacterStart(text, std::min(end - cut, begin + kMostAfter), begin);
  const bool cut_after = text.size() > begin + kMostAfter;
  if (cut_after) text = text.substr(0, CharacterStart(text, begin + kMostAfter, begin));

  const std::string number = absl::StrCat(line);
  const absl::string_view dots = cut > 0 ? "..." : "";
  const std::string carets(std::max<size_t>(1, CountCharacters(text.substr(begin, end - begin))),
                           '^');
  return absl::StrCat("  ", number, " | ", dots, PrintableLine(text), cut_after ? "..." : "",
                      "\n  ", std::string(number.size(), ' '), " | ", std::string(dots.size(), ' '),
                      Blanks(text.substr(0, begin)), carets, entry.hint.empty() ? "" : " ",
                      entry.hint);
}

std::string Diagnostics::ToString() const {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries_) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry* a, const Entry* b) { return a->span.begin < b->span.begin; });
  std::vector<std::string> blocks;
  for (const Entry* entry : sorted) {
    if (blocks.size() == kMostShown) break;
    blocks.push_back(absl::StrCat(path_, ":", LineOf(entry->span.begin), ":",
                                  ColumnOf(entry->span.begin), ": ", entry->message, "\n",
                                  Excerpt(*entry)));
  }
  std::string count = absl::StrCat(entries_.size(), entries_.size() == 1 ? " error" : " errors");
  if (entries_.size() > kMostShown) absl::StrAppend(&count, ", the first ", kMostShown, " shown");
  blocks.push_back(std::move(count));
  return absl::StrJoin(blocks, "\n");
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Collects what is wrong with one configuration file and shows it all at once, each with its place,
// the line and a caret.  Filled by yaml_tree, config_reader and load.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace l4lb {

/// A part of a file's text, in bytes.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

class Diagnostics {
 public:
  static constexpr size_t kMostShown = 20;

  /// `path` and `text` must outlive this.
  Diagnostics(absl::string_view path, absl::string_view text);

  /// `hint` says what would be right and stands beside the caret; may be empty.
  void Add(Span span, std::string message, std::string hint = "");

  bool empty() const { return entries_.empty(); }

  /// From 1.  Columns count characters.
  size_t LineOf(size_t offset) const;
  size_t ColumnOf(size_t offset) const;

  /// The line without its end.
  absl::string_view LineAround(size_t offset) const { return LineText(LineOf(offset)); }

  /// The inverse, for a library that names places by line and column.
  size_t OffsetOf(size_t line, size_t column) const;

  /// In the order of the file, at most kMostShown, then the count.  No newline at the end.
  std::string ToString() const;

 private:
  struct Entry {
    Span span;
    std::string message;
    std::string hint;
  };

  absl::string_view LineText(size_t line) const;
  std::string Excerpt(const Entry& entry) const;

  absl::string_view path_;
  absl::string_view text_;
  std::vector<size_t> line_starts_;
  std::vector<Entry> entries_;
};

}  // namespace l4lb

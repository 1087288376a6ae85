// SPDX-License-Identifier: Apache-2.0
//
// One key's value between its text and its C++ type, by the row of the key table.  Used by the
// file's reader, the flags and the printer.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "l4lb/config/binding.h"
#include "l4lb/config/key_table.h"

namespace l4lb {

/// What is wrong with a value, as the part of a sentence after its name, and what would be right.
struct Problem {
  std::string message;
  std::string hint;  // May be empty.
};

/// Reads a scalar; one address of a list becomes a string.  False: see `problem`.
bool ParseValue(const Key& key, absl::string_view text, Value* value, Problem* problem);

/// The inverse, as a bare text without quotes; a list is in brackets.
std::string FormatValue(const Key& key, const Value& value);

/// The range in words: "1 to 1000", "auto, epoll", "1ms to 365d".  Empty: nothing to say.
std::string RangeText(const Key& key);

/// "integer", "duration", "list of mappings" ...
absl::string_view TypeText(const Key& key);

}  // namespace l4lb

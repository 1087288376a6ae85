// SPDX-License-Identifier: Apache-2.0
//
// The little of UTF-8 that messages and names need: columns count characters, not bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace l4lb {

inline constexpr char32_t kInvalidUtf8 = 0xFFFFFFFF;

/// Takes the character that `text` begins with.  Invalid UTF-8: takes one byte and returns
/// kInvalidUtf8.  `text` must not be empty.
char32_t TakeCharacter(absl::string_view* text);

/// How many characters; an invalid byte counts as one.
size_t CountCharacters(absl::string_view text);

/// False for control characters, line separators and what is not a character at all.
bool IsPrintable(char32_t character);

/// Valid UTF-8 and printable throughout.
bool IsPrintableText(absl::string_view text);

/// The text with every character that could disturb a terminal replaced by "?".
std::string Printable(absl::string_view text);

/// Printable() in quotes, cut when long.
std::string Quoted(absl::string_view text);

}  // namespace l4lb

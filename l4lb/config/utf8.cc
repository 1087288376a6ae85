// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/utf8.h"

#include "absl/strings/str_cat.h"

namespace l4lb {
namespace {

/// The number of bytes that a first byte announces, 0 when it cannot be a first byte.
size_t SequenceLength(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

bool IsScalarValue(char32_t character, size_t length) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  return character >= kSmallest[length] && character <= 0x10FFFF && !surrogate;
}

}  // namespace

char32_t TakeCharacter(absl::string_view* text) {
  const absl::string_view bytes = *text;
  const size_t length = SequenceLength(static_cast<unsigned char>(bytes[0]));
  text->remove_prefix(1);
  if (length == 0 || length > bytes.size()) return kInvalidUtf8;
  char32_t character = static_cast<unsigned char>(bytes[0]) & (length == 1 ? 0x7F : 0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if ((byte & 0xC0) != 0x80) return kInvalidUtf8;
    character = character << 6 | (byte & 0x3F);
  }
  if (!IsScalarValue(character, length)) return kInvalidUtf8;
  text->remove_prefix(length - 1);
  return character;
}

size_t CountCharacters(absl::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) TakeCharacter(&text);
  return count;
}

bool IsPrintable(char32_t character) {
  if (character == kInvalidUtf8 || character < 0x20) return false;
  if (character >= 0x7F && character < 0xA0) return false;
  if (character >= 0x200B && character <= 0x200F) return false;  // Zero width, direction marks.
  if (character >= 0x2028 && character <= 0x202E) return false;  // Separators, direction.
  if (character >= 0x2066 && character <= 0x2069) return false;  // Direction.
  return character != 0xFEFF && (character & 0xFFFE) != 0xFFFE;
}

bool IsPrintableText(absl::string_view text) {
  while (!text.empty()) {
    if (!IsPrintable(TakeCharacter(&text))) return false;
  }
  return true;
}

std::string Printable(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const absl::string_view before = text;
    const bool printable = IsPrintable(TakeCharacter(&text));
    if (printable) {
      out.append(before.data(), before.size() - text.size());
    } else {
      out.push_back('?');
    }
  }
  return out;
}

std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 60;
  if (text.size() <= kMost) return absl::StrCat("\"", Printable(text), "\"");
  return absl::StrCat("\"", Printable(text.substr(0, kMost)), "\"...");
}

}  // namespace l4lb

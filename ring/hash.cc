// SPDX-License-Identifier: Apache-2.0
#include "ring/hash.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <string>

#include "ring/md5.h"

// All of xxHash in this file: short keys are hashed faster, and users need not link with it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ring {
namespace {

// "key#0", "key#1" and so on, in one buffer.
class NumberedName {
 public:
  NumberedName(std::string_view key, char separator) : name_(key), prefix_(key.size() + 1) {
    name_ += separator;
    name_.resize(prefix_ + kDigits);
  }

  std::string_view With(size_t number) {
    char* digits = name_.data() + prefix_;
    const char* end = std::to_chars(digits, digits + kDigits, number).ptr;
    return {name_.data(), static_cast<size_t>(end - name_.data())};
  }

 private:
  static constexpr size_t kDigits = 20;

  std::string name_;
  size_t prefix_;
};

}  // namespace

uint64_t Xxh3Hash(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

void Xxh3Points(std::string_view key, uint64_t seed, absl::Span<uint64_t> points) {
  NumberedName name(key, '#');
  for (size_t i = 0; i < points.size(); ++i) points[i] = Xxh3Hash(name.With(i), seed);
}

uint64_t KetamaHash(std::string_view bytes, uint64_t /*seed*/) { return Md5(bytes)[0]; }

void KetamaPoints(std::string_view key, uint64_t /*seed*/, absl::Span<uint64_t> points) {
  NumberedName name(key, '-');
  std::array<uint32_t, 4> digest = {};
  for (size_t i = 0; i < points.size(); ++i) {
    if (i % 4 == 0) digest = Md5(name.With(i / 4));
    points[i] = digest[i % 4];
  }
}

uint64_t Fnv1a32Hash(std::string_view bytes, uint64_t /*seed*/) {
  uint32_t hash = 2166136261;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 16777619;
  return hash;
}

void Fnv1a32Points(std::string_view key, uint64_t seed, absl::Span<uint64_t> points) {
  NumberedName name(key, '#');
  for (size_t i = 0; i < points.size(); ++i) points[i] = Fnv1a32Hash(name.With(i), seed);
}

}  // namespace ring

// SPDX-License-Identifier: Apache-2.0
#include "maglev/hash.h"

// All of xxHash in this file: short keys are hashed faster, and users need not link with it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace maglev {

uint64_t Xxh3(std::string_view bytes, uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

uint64_t Xxh64(std::string_view bytes, uint64_t seed) noexcept {
  return XXH64(bytes.data(), bytes.size(), seed);
}

}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// What a ring is made with: how the name of a node becomes points, and how a key becomes one.
// All give the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace ring {

/// A hash function of a ring.  Both functions must be pure; an own one needs only these.
struct Hash {
  /// Points and hashes of keys are below 2^bits: 32 or 64.
  int bits = 64;
  /// The first `points.size()` points of the node `key`.  A greater number begins with the same
  /// points as a smaller one.
  void (*points)(std::string_view key, uint64_t seed, absl::Span<uint64_t> points) = nullptr;
  /// Where a key to be looked up is on the ring.
  uint64_t (*hash)(std::string_view bytes, uint64_t seed) = nullptr;
};

void Xxh3Points(std::string_view key, uint64_t seed, absl::Span<uint64_t> points);
uint64_t Xxh3Hash(std::string_view bytes, uint64_t seed);
void KetamaPoints(std::string_view key, uint64_t seed, absl::Span<uint64_t> points);
uint64_t KetamaHash(std::string_view bytes, uint64_t seed);
void Fnv1a32Points(std::string_view key, uint64_t seed, absl::Span<uint64_t> points);
uint64_t Fnv1a32Hash(std::string_view bytes, uint64_t seed);

/// The default.  Point i is XXH3, 64 bits, of "key#i" (i in decimal, from 0) with the seed.
inline constexpr Hash kXxh3 = {64, Xxh3Points, Xxh3Hash};
/// As libketama and libmemcached (KETAMA_WEIGHTED): 32 bits; four points from the MD5 of "key-k",
/// so `points` should be a multiple of 4.  Ignores the seed.
inline constexpr Hash kKetama = {32, KetamaPoints, KetamaHash};
/// 32-bit FNV-1a of "key#i".  Ignores the seed.  It spreads names that end alike badly: for
/// comparison only.
inline constexpr Hash kFnv1a32 = {32, Fnv1a32Points, Fnv1a32Hash};

}  // namespace ring

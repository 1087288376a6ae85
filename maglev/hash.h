// SPDX-License-Identifier: Apache-2.0
//
// The hashes that a table can be built with.  All give the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace maglev {

/// Hashes bytes.  Must be a pure function: two balancers agree only if their hashes do.
using HashFunction = uint64_t (*)(std::string_view bytes, uint64_t seed);

/// XXH3, 64 bits: the default.
uint64_t Xxh3(std::string_view bytes, uint64_t seed) noexcept;
/// XXH64.  With it and seed 0 nodes have the permutations that Envoy gives to its hosts.
uint64_t Xxh64(std::string_view bytes, uint64_t seed) noexcept;

}  // namespace maglev

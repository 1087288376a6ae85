// SPDX-License-Identifier: Apache-2.0
//
// The hashes of other implementations, of which only the tests have need: to repeat the tables that
// those have published.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace golden {

/// SipHash-2-4 (Aumasson and Bernstein, 2012).
uint64_t SipHash24(std::string_view bytes, uint64_t key0, uint64_t key1);
/// MurmurHash3_x64_128 (Appleby, 2011, public domain).
std::array<uint64_t, 2> Murmur3(std::string_view bytes, uint32_t seed);
/// MurmurHash64A (Appleby, 2008, public domain).
uint64_t Murmur64A(std::string_view bytes, uint64_t seed);

}  // namespace golden

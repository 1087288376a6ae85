// SPDX-License-Identifier: Apache-2.0
#include "ring/md5.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace ring {
namespace {

using State = std::array<uint32_t, 4>;
constexpr size_t kBlock = 64;

// floor(2^32 x |sin(i + 1)|), as RFC 1321 lists them.
constexpr std::array<uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constexpr std::array<std::array<int, 4>, 4> kShifts = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

uint32_t Word(const uint8_t* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

// One step of a round: mixes three words of the state, and says which word of the block is used.
template <size_t kRound>
uint32_t MixWords(const State& s, size_t i, size_t* word) {
  if constexpr (kRound == 0) {
    *word = i;
    return (s[1] & s[2]) | (~s[1] & s[3]);
  } else if constexpr (kRound == 1) {
    *word = (5 * i + 1) % 16;
    return (s[1] & s[3]) | (s[2] & ~s[3]);
  } else if constexpr (kRound == 2) {
    *word = (3 * i + 5) % 16;
    return s[1] ^ s[2] ^ s[3];
  } else {
    *word = (7 * i) % 16;
    return s[2] ^ (s[1] | ~s[3]);
  }
}

template <size_t kRound>
void Round(const std::array<uint32_t, 16>& block, State& s) {
  for (size_t i = 0; i < 16; ++i) {
    size_t word = 0;
    const uint32_t mixed = MixWords<kRound>(s, i, &word);
    const uint32_t sum = s[0] + mixed + kSines[kRound * 16 + i] + block[word];
    s = {s[3], s[1] + std::rotl(sum, kShifts[kRound][i % 4]), s[1], s[2]};
  }
}

void AddBlock(const uint8_t* bytes, State& state) {
  std::array<uint32_t, 16> block;
  for (size_t i = 0; i < block.size(); ++i) block[i] = Word(bytes + 4 * i);
  State next = state;
  Round<0>(block, next);
  Round<1>(block, next);
  Round<2>(block, next);
  Round<3>(block, next);
  for (size_t i = 0; i < state.size(); ++i) state[i] += next[i];
}

}  // namespace

std::array<uint32_t, 4> Md5(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const size_t whole = bytes.size() / kBlock * kBlock;
  for (size_t i = 0; i < whole; i += kBlock) AddBlock(data + i, state);

  // The rest, a one bit, zeros, and the length in bits: one block, or two.
  std::array<uint8_t, 2 * kBlock> last = {};
  const size_t rest = bytes.size() - whole;
  std::copy_n(data + whole, rest, last.begin());
  last[rest] = 0x80;
  const size_t end = rest + 1 + 8 <= kBlock ? kBlock : 2 * kBlock;
  uint64_t bits = uint64_t{bytes.size()} * 8;
  for (size_t i = end - 8; i < end; ++i, bits >>= 8) last[i] = static_cast<uint8_t>(bits);
  for (size_t i = 0; i < end; i += kBlock) AddBlock(last.data() + i, state);
  return state;
}

}  // namespace ring

// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/reference_hashes.h"

#include <bit>
#include <cstddef>

namespace golden {
namespace {

// Up to eight bytes from `at`, the lowest first.
uint64_t Word(std::string_view bytes, size_t at) {
  uint64_t word = 0;
  for (size_t i = 0; i < 8 && at + i < bytes.size(); ++i) {
    word |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  }
  return word;
}

void SipRound(std::array<uint64_t, 4>& v) {
  v[0] += v[1];
  v[1] = std::rotl(v[1], 13) ^ v[0];
  v[0] = std::rotl(v[0], 32);
  v[2] += v[3];
  v[3] = std::rotl(v[3], 16) ^ v[2];
  v[0] += v[3];
  v[3] = std::rotl(v[3], 21) ^ v[0];
  v[2] += v[1];
  v[1] = std::rotl(v[1], 17) ^ v[2];
  v[2] = std::rotl(v[2], 32);
}

uint64_t Murmur3Finish(uint64_t k) {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

constexpr uint64_t kC1 = 0x87c37b91114253d5;
constexpr uint64_t kC2 = 0x4cf5ad432745937f;

uint64_t MixFirst(uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
uint64_t MixSecond(uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }

}  // namespace

uint64_t SipHash24(std::string_view bytes, uint64_t key0, uint64_t key1) {
  std::array<uint64_t, 4> v = {key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d,
                               key0 ^ 0x6c7967656e657261, key1 ^ 0x7465646279746573};
  for (size_t at = 0; at <= bytes.size(); at += 8) {
    uint64_t word = Word(bytes, at);
    if (at + 8 > bytes.size()) word |= uint64_t{bytes.size()} << 56;  // The last one.
    v[3] ^= word;
    SipRound(v);
    SipRound(v);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  for (int i = 0; i < 4; ++i) SipRound(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

std::array<uint64_t, 2> Murmur3(std::string_view bytes, uint32_t seed) {
  uint64_t h1 = seed;
  uint64_t h2 = seed;
  const size_t whole = bytes.size() / 16 * 16;
  for (size_t at = 0; at < whole; at += 16) {
    h1 ^= MixFirst(Word(bytes, at));
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= MixSecond(Word(bytes, at + 8));
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  h2 ^= MixSecond(Word(bytes, whole + 8));
  h1 ^= MixFirst(Word(bytes, whole));
  h1 ^= bytes.size();
  h2 ^= bytes.size();
  h1 += h2;
  h2 += h1;
  h1 = Murmur3Finish(h1);
  h2 = Murmur3Finish(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

uint64_t Murmur64A(std::string_view bytes, uint64_t seed) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  uint64_t hash = seed ^ (bytes.size() * kFactor);
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t at = 0; at < whole; at += 8) {
    uint64_t word = Word(bytes, at) * kFactor;
    word = (word ^ (word >> 47)) * kFactor;
    hash = (hash ^ word) * kFactor;
  }
  if (whole != bytes.size()) hash = (hash ^ Word(bytes, whole)) * kFactor;
  hash = (hash ^ (hash >> 47)) * kFactor;
  return hash ^ (hash >> 47);
}

}  // namespace golden

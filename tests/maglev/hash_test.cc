// SPDX-License-Identifier: Apache-2.0
#include "maglev/hash.h"

#include <gtest/gtest.h>

#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/golden/xxhash_vectors.h"

namespace maglev {
namespace {

TEST(HashTest, Texts) {
  for (const golden::XxhText& vector : golden::kXxhTexts) {
    for (const uint64_t seed : {0, 1}) {
      EXPECT_EQ(Xxh64(vector.text, seed), vector.xxh64[seed]) << vector.text;
      EXPECT_EQ(Xxh3(vector.text, seed), vector.xxh3[seed]) << vector.text;
    }
  }
  EXPECT_EQ(Xxh64("foo", 0), golden::kEnvoyXxh64OfFoo);
  EXPECT_EQ(Xxh64("bar", 0), golden::kEnvoyXxh64OfBar);
}

// No part of this library, but of the same xxHash.
TEST(HashTest, Xxh32) {
  for (const auto& [text, hash] : golden::kXxh32Texts) {
    EXPECT_EQ(XXH32(text.data(), text.size(), 0), hash) << text;
  }
}

TEST(HashTest, SanityBuffer) {
  std::string buffer;
  for (uint64_t g = golden::kXxhBufferSeed; buffer.size() < 2048; g *= golden::kXxhBufferFactor) {
    buffer += static_cast<char>(g >> 56);
  }
  for (const golden::XxhBuffer& vector : golden::kXxhBuffers) {
    const std::string_view bytes = std::string_view(buffer).substr(0, vector.length);
    EXPECT_EQ(Xxh64(bytes, 0), vector.xxh64) << vector.length;
    EXPECT_EQ(Xxh64(bytes, golden::kXxhBufferSeed), vector.xxh64_seeded) << vector.length;
    EXPECT_EQ(Xxh3(bytes, 0), vector.xxh3) << vector.length;
  }
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// xxHash, as libxxhash 0.8.1 computes it; the sanity buffer is the one of its own test program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace golden {

struct XxhText {
  std::string_view text;
  uint64_t xxh64[2];  // By seed, 0 and 1.
  uint64_t xxh3[2];
};
inline constexpr XxhText kXxhTexts[] = {
    {"", {0xef46db3751d8e999, 0xd5afba1336a3be4b}, {0x2d06800538d394c2, 0x4dc5b0cc826f6703}},
    {"a", {0xd24ec4f1a98c6e5b, 0xdec2bc81c3cd46c6}, {0xe6c632b61e964e1f, 0xd2f6d0996f37a720}},
    {"abc", {0x44bc2cf5ad770999, 0xbea9ca8199328908}, {0x78af5f94892f3950, 0x6b4467b443c76228}},
    {"foo", {0x33bf00a859c4ba3f, 0xc34823c5bf4f2cbd}, {0xab6e5f64077e7d8a, 0x54557a2c8b633298}},
    {"127.0.0.1:90",
     {0xb6e9805bf4890ed5, 0x151eaa9a12ebfff5},
     {0x8df9d92af77c2fe1, 0x230d767c2c1ee403}},
    {"10.0.0.1:8080",
     {0xcb972177068eb685, 0x0dfce9efd349b428},
     {0xb655a4a4783c5011, 0xf41690d181e7684e}},
    {"Nobody inspects the spammish repetition",
     {0xfbcea83c8a378bf1, 0x43f425448d954db6},
     {0x6cb00603b5cc47e9, 0x21c83ff4205c56d0}},
};
struct Xxh32Text {
  std::string_view text;
  uint32_t xxh32;  // Seed 0.
};
inline constexpr Xxh32Text kXxh32Texts[] = {
    {"", 0x02cc5d05}, {"a", 0x550d7456}, {"abc", 0x32d153ff}, {"foo", 0xe20f0dd9}};
/// Envoy, test/common/common/hash_test.cc: XXH64 with seed 0.
inline constexpr uint64_t kEnvoyXxh64OfFoo = 3728699739546630719;
inline constexpr uint64_t kEnvoyXxh64OfBar = 5234164152756840025;

/// xxHash's sanity checks: the first `length` bytes of a buffer that is made from
/// g = 2654435761 by byte = g >> 56, g *= 11400714785074694797.
struct XxhBuffer {
  size_t length;
  uint64_t xxh64;
  uint64_t xxh64_seeded;  // With seed 2654435761.
  uint64_t xxh3;
};
inline constexpr uint64_t kXxhBufferSeed = 2654435761;
inline constexpr uint64_t kXxhBufferFactor = 11400714785074694797u;
inline constexpr XxhBuffer kXxhBuffers[] = {
    {1, 0xe934a84adb052768, 0x5014607643a9b4c3, 0xc44bdff4074eecdb},
    {4, 0x9136a0dca57457ee, 0xcaab286bd8e9fdb5, 0xe5dc74bc51848a51},
    {14, 0x8282dcc4994e35c8, 0xc3bd6bf63deb6df0, 0x1ac0bbda2b9fcf03},
    {24, 0xf75a6dea42dc5bf4, 0x8b7c67eb59778e22, 0xa3fe70bf9d3510eb},
    {48, 0xfd0feeac7a939933, 0x6ffe2f43a24c2302, 0x397da259ecba1f11},
    {80, 0x99bd5d25eb211099, 0x5281d5357d0b8ac4, 0xbcdefbbb2c47c90a},
    {195, 0x52b73ecdb3ef30e4, 0x9159a6288cd2ed9c, 0xcd94217ee362ec3a},
    {222, 0xb641ae8cb691c174, 0x20cb8ab7ae10c14a, 0xb9163b558664d356},
    {403, 0xd99858fee82283df, 0xf66589734ad3cf7e, 0xcdeb804d65c6dea4},
    {512, 0x4358d2fdd62b58a7, 0x0ded69c4804c47ba, 0x617e49599013cb6b},
    {2048, 0x5940f2752bc04387, 0xaa26f33c2898013b, 0xdd59e2c3a5f038e0},
};

}  // namespace golden

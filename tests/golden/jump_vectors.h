// SPDX-License-Identifier: Apache-2.0
//
// Jump hash: key, number of buckets, bucket.
#pragma once

#include <cstdint>

namespace golden {

struct JumpVector {
  uint64_t key;
  int32_t buckets;
  int32_t bucket;
};

/// Guava, HashingTest.testConsistentHash_ofHashCode / _probabilities: 100 buckets, by key from 0.
inline constexpr int32_t kGuavaOf100Buckets[] = {0,  55, 62, 8,  45, 59, 86, 97, 82, 59,
                                                 73, 37, 17, 56, 86, 21, 90, 37, 38, 83};
/// Guava, HashingTest.testConsistentHash_linearCongruentialGeneratorCompatibility.
inline constexpr JumpVector kGuava[] = {
    {10863919174838991, 11, 6}, {2016238256797177309, 11, 3}, {1673758223894951030, 11, 5},
    {2, 100001, 80343},         {2201, 100001, 22152},        {2202, 100001, 15018},
};
/// ClickHouse, tests of jumpConsistentHash.
inline constexpr JumpVector kClickHouse[] = {
    {1, 1, 0},          {42, 57, 43},           {256, 1024, 520},
    {0xDEAD10CC, 1, 0}, {0xDEAD10CC, 666, 361}, {16045690984833335023u, 255, 237},
};
/// github.com/dgryski/go-jump, tests: by number of buckets from 1.
struct GoJumpVector {
  uint64_t key;
  int32_t buckets[19];
};
inline constexpr GoJumpVector kGoJump[] = {
    {1, {0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 17, 17}},
    {0xdeadbeef, {0, 1, 2, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 16, 16, 16}},
    {0x0ddc0ffeebadf00d, {0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 15, 15, 15, 15}},
};

}  // namespace golden

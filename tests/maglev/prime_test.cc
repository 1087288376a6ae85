// SPDX-License-Identifier: Apache-2.0
#include "maglev/prime.h"

#include <gtest/gtest.h>

#include <vector>

namespace maglev {
namespace {

TEST(PrimeTest, AsTheSieveOfEratosthenes) {
  constexpr uint32_t kEnd = 100000;
  std::vector<bool> composite(kEnd);
  for (uint32_t n = 2; n < kEnd; ++n) {
    ASSERT_EQ(IsPrime(n), !composite[n]) << n;
    for (uint64_t m = uint64_t{n} * n; m < kEnd; m += n) composite[m] = true;
  }
  EXPECT_FALSE(IsPrime(0));
  EXPECT_FALSE(IsPrime(1));
}

TEST(PrimeTest, Next) {
  EXPECT_EQ(NextPrime(0), 2u);
  EXPECT_EQ(NextPrime(65536), 65537u);
  EXPECT_EQ(NextPrime(65537), 65537u);
  EXPECT_EQ(NextPrime(655360), 655373u);
  EXPECT_TRUE(IsPrime(2147483647));
  EXPECT_FALSE(IsPrime(4294836225));  // 65535 x 65535
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
#include "maglev/exact_mod.h"

#include <gtest/gtest.h>

#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 51;

void ExpectExactAround(const ExactMod& mod, uint64_t number) {
  for (const uint64_t n : {number - 1, number, number + 1}) {
    ASSERT_EQ(mod(n), n % mod.divisor()) << n << " % " << mod.divisor();
  }
}

TEST(ExactModTest, EdgesOfEveryDivisor) {
  l4lb::Dice dice(kSeed);
  std::vector<uint32_t> divisors = {1, 2, 3, 4, 7, 65536, 65537, 655373, 1u << 31, UINT32_MAX};
  for (int i = 0; i < 2000; ++i) {
    divisors.push_back(static_cast<uint32_t>(dice.Below(UINT32_MAX) >> dice.Below(32)) + 1);
  }
  for (const uint32_t divisor : divisors) {
    const ExactMod mod(divisor);
    ExpectExactAround(mod, 0);
    ExpectExactAround(mod, divisor);
    ExpectExactAround(mod, UINT64_MAX / divisor * divisor);
    ExpectExactAround(mod, UINT64_MAX / 2 / divisor * divisor);
    for (int i = 0; i < 20; ++i) {
      const uint64_t number = dice.Below(UINT64_MAX) >> dice.Below(64);
      ExpectExactAround(mod, number);
      ExpectExactAround(mod, number / divisor * divisor);
    }
  }
}

}  // namespace
}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
#include "maglev/modular.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 52;
constexpr uint32_t kPrimes[] = {2, 3, 5, 7, 251, 65537, 655373, 134217689, 2147483647};

TEST(ModularTest, InversesMultiplyToOne) {
  l4lb::Dice dice(kSeed);
  for (const uint32_t prime : kPrimes) {
    const ExactMod mod(prime);
    for (const size_t count : {0, 1, 2, 100}) {
      std::vector<uint32_t> values(count);
      for (uint32_t& value : values) value = static_cast<uint32_t>(dice.Below(prime - 1)) + 1;
      std::vector<uint32_t> inverses = values;
      InvertAll(absl::MakeSpan(inverses), mod);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_LT(inverses[i], prime);
        ASSERT_EQ(uint64_t{inverses[i]} * values[i] % prime, 1u) << values[i] << " mod " << prime;
      }
    }
  }
}

// Slots k steps away have rank order k, also next to each other and at the ends.
TEST(ModularTest, RankIsTheOrderOfArrival) {
  l4lb::Dice dice(kSeed);
  for (const uint32_t prime : kPrimes) {
    const ExactMod mod(prime);
    for (int i = 0; i < 200; ++i) {
      const auto start = static_cast<uint32_t>(dice.Below(prime));
      const auto step = static_cast<uint32_t>(dice.Below(prime - 1)) + 1;
      std::vector<uint32_t> inverse = {step};
      InvertAll(absl::MakeSpan(inverse), mod);
      const Arrival arrival(start, inverse[0], mod);
      const auto after = [&](uint64_t steps) { return mod(start + steps * step); };
      EXPECT_EQ(arrival.Rank(start), 0u);
      for (int j = 0; j < 20; ++j) {
        const uint64_t steps = dice.Below(prime - 1);
        ASSERT_LT(arrival.Rank(after(steps)), arrival.Rank(after(steps + 1)))
            << "prime " << prime << ", start " << start << ", step " << step << ", " << steps;
      }
      ASSERT_LT(arrival.Rank(after(0)), arrival.Rank(after(prime - 1)));
      EXPECT_EQ(arrival.FirstOf({after(prime - 1), after(prime / 3)}), 1u);
    }
  }
}

}  // namespace
}  // namespace maglev

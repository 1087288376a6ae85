// SPDX-License-Identifier: Apache-2.0
#include "maglev/prime.h"

namespace maglev {

bool IsPrime(uint32_t number) {
  if (number < 4) return number >= 2;
  if (number % 2 == 0) return false;
  for (uint64_t factor = 3; factor * factor <= number; factor += 2) {
    if (number % factor == 0) return false;
  }
  return true;
}

uint32_t NextPrime(uint32_t number) {
  while (!IsPrime(number)) ++number;
  return number;
}

}  // namespace maglev

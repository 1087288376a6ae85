// SPDX-License-Identifier: Apache-2.0
//
// Table sizes are primes, so that every step through a table comes to all of its slots.
#pragma once

#include <cstdint>

namespace maglev {

/// By trial division: O(sqrt(number)).
bool IsPrime(uint32_t number);
/// The first prime from `number` on.  `number` at most 2^31.
uint32_t NextPrime(uint32_t number);

}  // namespace maglev

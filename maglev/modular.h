// SPDX-License-Identifier: Apache-2.0
//
// When does a walk of constant step come to a slot?  Solved by arithmetic, where walking would
// take too long.  Used by Filler and by the overlay of dead nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "maglev/exact_mod.h"

namespace maglev {

/// Replaces every value by its inverse modulo the prime `mod.divisor()`.  Values must be from 1 to
/// below the prime.  One inversion and three multiplications per value (Montgomery, "Speeding the
/// Pollard and elliptic curve methods of factorization", 1987).
void InvertAll(absl::Span<uint32_t> values, const ExactMod& mod);

/// Compares slots by when the walk from `start` by steps of `step` comes to them, modulo a prime:
/// slot s after (s - start) / step steps, where 1 / step is the inverse modulo the prime.
class Arrival {
 public:
  /// `inverse`: of the step.
  Arrival(uint32_t start, uint32_t inverse, const ExactMod& mod);

  /// Of two slots the one that is reached first ranks lower.  `slot` below the prime.
  uint64_t Rank(uint32_t slot) const { return slot * scale_ - start_; }
  /// The position in `slots`, which must not be empty, of the one that is reached first.
  size_t FirstOf(absl::Span<const uint32_t> slots) const;

 private:
  // inverse x 2^64 / prime, rounded up.  (slot - start) x scale_ modulo 2^64 is then the number of
  // steps in units of 2^64 / prime, exact at 0 and elsewhere off by at most the prime.  For primes
  // below 2^31 that is less than half a unit: good enough to compare by.
  uint64_t scale_;
  uint64_t start_;
};

}  // namespace maglev

// SPDX-License-Identifier: Apache-2.0
//
// hash % size without a division.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace maglev {

/// The remainder of any 64-bit number by a fixed divisor, exact: the quotient is estimated by one
/// multiplication with the divisor's reciprocal (Granlund and Montgomery, "Division by invariant
/// integers using multiplication", 1994) and is at most one too low.
class ExactMod {
 public:
  /// `divisor` > 0.
  explicit constexpr ExactMod(uint32_t divisor)
      : divisor_(divisor),
        shift_(static_cast<uint32_t>(std::bit_width(divisor)) - 1),
        reciprocal_(Reciprocal(divisor, shift_)) {}

  constexpr uint32_t divisor() const noexcept { return divisor_; }

  constexpr uint32_t operator()(uint64_t number) const noexcept {
    const auto high = static_cast<uint64_t>((Wide{number} * reciprocal_) >> 64);
    const uint64_t rest = number - (high >> shift_) * divisor_;
    // As unsigned numbers: of rest and rest - divisor the one that did not wrap around.
    return static_cast<uint32_t>(std::min(rest, rest - divisor_));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  // 2^(64 + shift) / divisor, rounded down: in 64 bits, since 2^shift <= divisor.  Only a power of
  // two would need one bit more; one less than that is as good an estimate.
  static constexpr uint64_t Reciprocal(uint32_t divisor, uint32_t shift) {
    const Wide quotient = (Wide{1} << (64 + shift)) / divisor;
    return static_cast<uint64_t>(std::min(quotient, Wide{UINT64_MAX}));
  }

  uint32_t divisor_;
  uint32_t shift_;
  uint64_t reciprocal_;
};

}  // namespace maglev

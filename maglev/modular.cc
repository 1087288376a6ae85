// SPDX-License-Identifier: Apache-2.0
#include "maglev/modular.h"

#include <utility>
#include <vector>

namespace maglev {
namespace {

// By the extended Euclidean algorithm.
uint32_t Inverse(uint32_t value, uint32_t prime) {
  int64_t coefficient = 0;
  int64_t next_coefficient = 1;
  int64_t rest = prime;
  int64_t next_rest = value;
  while (next_rest != 0) {
    const int64_t quotient = rest / next_rest;
    coefficient = std::exchange(next_coefficient, coefficient - quotient * next_coefficient);
    rest = std::exchange(next_rest, rest - quotient * next_rest);
  }
  return static_cast<uint32_t>(coefficient < 0 ? coefficient + prime : coefficient);
}

}  // namespace

void InvertAll(absl::Span<uint32_t> values, const ExactMod& mod) {
  std::vector<uint32_t> product_before(values.size());
  uint64_t product = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    product_before[i] = static_cast<uint32_t>(product);
    product = mod(product * values[i]);
  }
  uint64_t inverse = Inverse(static_cast<uint32_t>(product), mod.divisor());
  for (size_t i = values.size(); i-- > 0;) {
    const uint32_t value = values[i];
    values[i] = mod(inverse * product_before[i]);
    inverse = mod(inverse * value);
  }
}

Arrival::Arrival(uint32_t start, uint32_t inverse, const ExactMod& mod) {
  const uint64_t prime = mod.divisor();
  const uint64_t whole = UINT64_MAX / prime;  // 2^64 is no multiple of it, unless it is 2.
  const uint64_t rest = UINT64_MAX % prime + 1;
  scale_ = inverse * whole + inverse * rest / prime + 1;
  start_ = start * scale_;
}

size_t Arrival::FirstOf(absl::Span<const uint32_t> slots) const {
  size_t first = 0;
  uint64_t lowest = UINT64_MAX;
  for (size_t i = 0; i < slots.size(); ++i) {
    const uint64_t rank = Rank(slots[i]);
    first = rank < lowest ? i : first;  // Both without a branch: which is the first is random.
    lowest = rank < lowest ? rank : lowest;
  }
  return first;
}

}  // namespace maglev

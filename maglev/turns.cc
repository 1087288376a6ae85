// SPDX-License-Identifier: Apache-2.0
#include "maglev/turns.h"

#include <numeric>

namespace maglev {

bool AreLopsided(absl::Span<const uint32_t> weights) {
  const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
  const uint64_t heaviest = *std::max_element(weights.begin(), weights.end());
  const auto nodes = static_cast<uint64_t>(
      std::count_if(weights.begin(), weights.end(), [](uint32_t weight) { return weight != 0; }));
  // A step of the stride costs about a tenth of a turn by the queue.
  return nodes * heaviest > 10 * sum;
}

void DivideByCommonDivisor(absl::Span<uint32_t> weights) {
  uint32_t divisor = 0;
  for (const uint32_t weight : weights) divisor = std::gcd(divisor, weight);
  if (divisor < 2) return;
  for (uint32_t& weight : weights) weight /= divisor;
}

}  // namespace maglev

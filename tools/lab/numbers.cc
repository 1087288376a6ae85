// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/numbers.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "tools/kit/numbers.h"

namespace l4lb::lab {
namespace {

constexpr double kInSecondsFrom = 100'000;

}  // namespace

std::string MsText(double ms) {
  if (ms >= kInSecondsFrom)
    return kit::Grouped(static_cast<uint64_t>(std::llround(ms / 1'000))) + " s";
  if (ms >= 1'000) return kit::Grouped(static_cast<uint64_t>(std::llround(ms)));
  return ms >= 100 ? absl::StrFormat("%.0f", ms) : absl::StrFormat("%.1f", ms);
}

}  // namespace l4lb::lab

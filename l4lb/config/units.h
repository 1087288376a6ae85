// SPDX-License-Identifier: Apache-2.0
//
// Durations and sizes as people write them: `1h30m`, `250ms`, `16KiB`.  Used by value.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace l4lb {

/// More than any range of the key table; numbers that do not fit are cut to it.
inline constexpr int64_t kHugeNumber = int64_t{1} << 60;

/// Decimal digits with an optional minus, nothing else.
std::optional<int64_t> ParseWholeNumber(absl::string_view text);

/// Whole numbers with the units d, h, m, s and ms, one after the other; without a unit only 0.
/// Returns milliseconds.
std::optional<int64_t> ParseDurationMs(absl::string_view text);
std::string FormatDurationMs(int64_t ms);

/// A whole number of bytes, or with the unit KiB, MiB or GiB.
std::optional<int64_t> ParseSize(absl::string_view text);
std::string FormatSize(int64_t bytes);

/// A decimal with at most two places, in hundredths: 125 for "1.25".
std::optional<int64_t> ParsePercent(absl::string_view text);
std::string FormatPercent(int64_t percent);

/// What was probably meant by a text that does not parse, such as "16KiB" for "16k".  May be empty.
std::string SuggestDuration(absl::string_view text);
std::string SuggestSize(absl::string_view text);

}  // namespace l4lb

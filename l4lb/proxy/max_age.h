// SPDX-License-Identifier: Apache-2.0
//
// How old one session may become.  Nothing is stored: its age limit follows from its id, so that a
// reload can change it for sessions that are there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "l4lb/backend/pool.h"

namespace l4lb {

/// `limit.age_ms` more or less the jitter, at least 1 ms; the same for the same id.  Ids in a row
/// times 2^64 / golden ratio are a Weyl sequence: any few of them lie evenly in the range.
inline int64_t OwnAgeMs(const AgeLimit& limit, uint64_t id) {
  const uint64_t scattered = id * 0x9e3779b97f4a7c15;
  const double place = static_cast<double>(scattered >> 11) * 0x1.0p-53;  // 0 to 1.
  const double jitter = limit.jitter_percent / 100.0 * (2 * place - 1);
  const auto age_ms = static_cast<double>(limit.age_ms);
  return std::max<int64_t>(1, static_cast<int64_t>(age_ms * (1 + jitter)));
}

}  // namespace l4lb

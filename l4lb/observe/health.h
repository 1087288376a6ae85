// SPDX-License-Identifier: Apache-2.0
//
// What is known of a backend's health: its verdict, and its last check.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace l4lb {

enum class Health : uint8_t {
  kUnchecked,  // Nobody checks it: it counts as up.
  kUnknown,    // Not checked often enough yet.
  kUp,
  kDown,
};

inline constexpr std::array<std::string_view, 4> kHealths = {"unchecked", "unknown", "up", "down"};

constexpr std::string_view Name(Health health) { return kHealths[static_cast<size_t>(health)]; }

/// The checks of one backend so far.
struct CheckStatus {
  Health health = Health::kUnchecked;
  uint64_t passed = 0;
  uint64_t failed = 0;
  bool last_passed = false;     // Of the last one that passed or failed; as the next three.
  std::string last_reason;      // Why it failed, for people: "connection refused".
  int64_t last_latency_us = 0;  // From the connect to the verdict.
  int64_t last_unix_ms = 0;     // When it ended.  0: there was none.
  int64_t next_in_ms = -1;      // -1: none is planned; 0: one is under way.
  double suspicion = 0;         // Phi of the detector phi; else 0.
  uint64_t not_made = 0;        // Checks that we had no port, descriptor or memory for.
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What an operator wants of a backend.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace l4lb {

enum class BackendState : uint8_t {
  kReady,  // Takes sessions.
  kDrain,  // No new ones; those it has go on.
  kDown,   // No new ones, and those it has are closed.
};

inline constexpr std::array<std::string_view, 3> kBackendStates = {"ready", "drain", "down"};

constexpr std::string_view Name(BackendState state) {
  return kBackendStates[static_cast<size_t>(state)];
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What may stand in the middle, one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "l4lb/config/config.h"

namespace l4lb::skew {

enum class Mode : uint8_t {
  kRoundRobin,
  kRandom,
  kLeastConnections,
  kP2c,
  kMaglev,
  kRing,
  kAge,
  kRebalance,
  kClient,
  kLayer7,
};

enum class Kind : uint8_t { kLayer4, kClient, kLayer7 };

/// How a mode is written, what it is, and which policy the balancer of layer 4 has in it.
struct ModeText {
  Mode mode;
  Kind kind;
  const char* name;
  const char* text;
  Config::Policy policy;
  bool keeps_connections;  ///< A pick is for a whole connection, and nothing ends one.
};

const ModeText& TextOf(Mode mode);
/// As in --modes and JSON: "round_robin", "age".
inline const char* Name(Mode mode) { return TextOf(mode).name; }
const char* Name(Kind kind);

inline bool KeepsConnections(Mode mode) { return TextOf(mode).keeps_connections; }

/// By name.
const std::map<std::string, Mode>& Modes();

}  // namespace l4lb::skew

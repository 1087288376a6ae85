// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/mode.h"

#include <cstddef>
#include <iterator>

namespace l4lb::skew {
namespace {

// In the order of the enum.  Age and rebalance have the daemon's default policy.
constexpr Config::Policy kDefault = Config::Policy::kLeastConnections;
constexpr ModeText kModes[] = {
    {Mode::kRoundRobin, Kind::kLayer4, "round_robin", "layer 4, round robin",
     Config::Policy::kRoundRobin, true},
    {Mode::kRandom, Kind::kLayer4, "random", "layer 4, random", Config::Policy::kRandom, true},
    {Mode::kLeastConnections, Kind::kLayer4, "least_connections", "layer 4, least connections",
     Config::Policy::kLeastConnections, true},
    {Mode::kP2c, Kind::kLayer4, "p2c", "layer 4, power of two choices", Config::Policy::kP2c, true},
    {Mode::kMaglev, Kind::kLayer4, "maglev", "layer 4, Maglev by source address",
     Config::Policy::kMaglev, true},
    {Mode::kRing, Kind::kLayer4, "ring", "layer 4, hash ring by source address",
     Config::Policy::kRing, true},
    {Mode::kAge, Kind::kLayer4, "age", "layer 4, least connections with max_connection_age",
     kDefault, false},
    {Mode::kRebalance, Kind::kLayer4, "rebalance", "layer 4, least connections, then rebalance",
     kDefault, false},
    {Mode::kClient, Kind::kClient, "client", "no balancer, each client chooses for every request",
     kDefault, false},
    {Mode::kLayer7, Kind::kLayer7, "layer7", "layer 7, a proxy that chooses for every request",
     kDefault, false},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kModes); ++i) {
    if (static_cast<size_t>(kModes[i].mode) != i) return false;
  }
  return std::size(kModes) == static_cast<size_t>(Mode::kLayer7) + 1;
}
static_assert(InOrder());

}  // namespace

const ModeText& TextOf(Mode mode) { return kModes[static_cast<size_t>(mode)]; }

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kLayer4:
      return "layer4";
    case Kind::kClient:
      return "client";
    case Kind::kLayer7:
      return "layer7";
  }
  return "";
}

const std::map<std::string, Mode>& Modes() {
  static const auto* const modes = [] {
    auto* made = new std::map<std::string, Mode>;
    for (const ModeText& text : kModes) made->emplace(text.name, text.mode);
    return made;
  }();
  return *modes;
}

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/policy.h"

#include "l4lb/balance/least_connections.h"
#include "l4lb/balance/random.h"
#include "l4lb/balance/round_robin.h"

namespace l4lb {
std::string_view Name(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kRoundRobin:
      return "round_robin";
    case PolicyKind::kRandom:
      return "random";
    case PolicyKind::kLeastConnections:
      return "least_connections";
    case PolicyKind::kP2c:
      return "p2c";
    case PolicyKind::kMaglev:
      return "maglev";
    case PolicyKind::kRing:
      return "ring";
  }
  return "unknown";
}

std::unique_ptr<Policy> MakePolicy(PolicyKind kind, absl::Span<const uint32_t> weights,
                                   PolicyStart start) {
  switch (kind) {
    case PolicyKind::kRoundRobin:
      return std::make_unique<RoundRobin>(weights, start);
    case PolicyKind::kRandom:
      return std::make_unique<Random>(weights, start.seed);
    case PolicyKind::kLeastConnections:
      return std::make_unique<LeastConnections>(weights, start);
    case PolicyKind::kP2c:
      return std::make_unique<P2c>(weights, start.seed);
    case PolicyKind::kMaglev:
    case PolicyKind::kRing:
      break;  // They need a table.
  }
  return nullptr;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/policy.h"

#include <utility>

#include "l4lb/balance/round_robin.h"

namespace l4lb {
namespace {

std::unique_ptr<Policy> MakeRoundRobin(absl::Span<const uint32_t> weights, PolicyStart start) {
  std::vector<int> members;
  bool equal = true;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    members.push_back(static_cast<int>(i));
    equal = equal && weights[i] == weights[static_cast<size_t>(members[0])];
  }
  if (equal) return std::make_unique<EqualRoundRobin>(std::move(members), start);
  return std::make_unique<WeightedRoundRobin>(weights, start);
}

}  // namespace

std::string_view Name(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kRoundRobin:
      return "round_robin";
  }
  return "unknown";
}

std::unique_ptr<Policy> MakePolicy(PolicyKind kind, absl::Span<const uint32_t> weights,
                                   PolicyStart start) {
  switch (kind) {
    case PolicyKind::kRoundRobin:
      return MakeRoundRobin(weights, start);
  }
  return nullptr;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What several tests of rings need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ring/ring.h"
#include "tests/support/dice.h"

namespace ring {

/// Keys "node-0" and so on, of these weights.
inline std::vector<Node> Named(const std::vector<uint32_t>& weights) {
  std::vector<Node> nodes;
  for (size_t i = 0; i < weights.size(); ++i) {
    nodes.push_back({"node-" + std::to_string(i), weights[i]});
  }
  return nodes;
}

/// At least one has a weight.
inline std::vector<Node> AnyNodes(l4lb::Dice& dice, size_t most) {
  std::vector<uint32_t> weights(dice.Below(most) + 1);
  for (uint32_t& weight : weights) weight = static_cast<uint32_t>(dice.Below(4));
  weights[0] = 1;
  return Named(weights);
}

/// By the definition: the points of each node, the first at or after the hash, of equal ones that
/// of the lower key.
inline std::string OwnerOf(const std::vector<Node>& nodes, const Options& options, uint64_t hash) {
  const Node* owner = nullptr;
  uint64_t least = 0;
  for (const Node& node : nodes) {
    std::vector<uint64_t> points(size_t{node.weight} * options.points);
    options.hash.points(node.key, options.seed, absl::MakeSpan(points));
    for (const uint64_t point : points) {
      const uint64_t distance = (point - hash) & (UINT64_MAX >> (64 - options.hash.bits));
      if (owner != nullptr && distance > least) continue;
      if (owner != nullptr && distance == least && owner->key < node.key) continue;
      owner = &node;
      least = distance;
    }
  }
  return owner->key;
}

}  // namespace ring

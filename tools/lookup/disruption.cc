// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/disruption.h"

#include <algorithm>
#include <unordered_map>

namespace l4lb::lookup {
namespace {

using Owners = std::vector<uint32_t>;
using Alive = std::vector<bool>;

// An algorithm, and the keys that it is asked for.
class Asked {
 public:
  Asked(const Algorithm& algorithm, absl::Span<const uint64_t> hashes)
      : algorithm_(algorithm), hashes_(hashes) {}

  Owners OwnersOf(absl::Span<const Node> nodes, const Alive& alive) const {
    Owners owners(hashes_.size());
    algorithm_.make(nodes, alive)->FindOwners(hashes_, absl::MakeSpan(owners));
    return owners;
  }
  Owners OwnersOf(absl::Span<const Node> nodes) const {
    return OwnersOf(nodes, Alive(nodes.size(), true));
  }
  Owners OwnersOf(uint32_t nodes) const { return OwnersOf(EqualNodes(nodes)); }

 private:
  const Algorithm& algorithm_;
  const absl::Span<const uint64_t> hashes_;
};

// One of every tenth of the nodes, at least one.
std::vector<uint32_t> Tenth(uint32_t nodes) {
  const uint32_t count = std::max(1u, nodes / 10);
  std::vector<uint32_t> chosen;
  for (uint32_t i = 0; i < count; ++i) chosen.push_back((2 * i + 1) * nodes / (2 * count));
  return chosen;
}

}  // namespace

Movement Compare(absl::Span<const uint32_t> before, absl::Span<const uint32_t> after) {
  uint64_t moved = 0;
  std::unordered_map<uint32_t, int64_t> gains;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    ++moved;
    --gains[before[i]];
    ++gains[after[i]];
  }
  uint64_t ideal = 0;
  for (const auto& [node, gain] : gains) {
    if (gain > 0) ideal += static_cast<uint64_t>(gain);
  }
  const auto keys = static_cast<double>(before.size());
  return {.moved = static_cast<double>(moved) / keys,
          .ideal = static_cast<double>(ideal) / keys,
          .extra = static_cast<double>(moved - ideal) / keys};
}

std::vector<Change> MeasureGrowth(const Algorithm& algorithm, absl::Span<const uint64_t> hashes) {
  const Asked asked(algorithm, hashes);
  const Owners ten = asked.OwnersOf(10);
  return {{"8->10", Compare(asked.OwnersOf(8), ten)}, {"9->10", Compare(asked.OwnersOf(9), ten)}};
}

std::vector<Change> MeasureChanges(const Algorithm& algorithm, uint32_t nodes,
                                   absl::Span<const uint64_t> hashes) {
  const Asked asked(algorithm, hashes);
  const std::vector<Node> all = EqualNodes(nodes);
  const Owners before = asked.OwnersOf(all);
  const uint32_t middle = nodes / 2;
  std::vector<Change> changes;
  changes.push_back({"+1", Compare(before, asked.OwnersOf(nodes + 1))});

  std::vector<Node> fewer = all;
  fewer.erase(fewer.begin() + middle);
  changes.push_back({"-1", Compare(before, asked.OwnersOf(fewer))});

  Alive alive(nodes, true);
  alive[middle] = false;
  changes.push_back({"kill 1", Compare(before, asked.OwnersOf(all, alive))});

  alive.assign(nodes, true);
  const std::vector<uint32_t> dead = Tenth(nodes);
  for (const uint32_t node : dead) alive[node] = false;
  const Owners with_dead = asked.OwnersOf(all, alive);
  changes.push_back({"kill 10%", Compare(before, with_dead)});
  alive[dead.front()] = true;
  changes.push_back({"revive", Compare(with_dead, asked.OwnersOf(all, alive))});

  std::vector<Node> heavier = all;
  heavier[middle].weight = 2;
  changes.push_back({"weight x2", std::nullopt});
  if (algorithm.has_weights) changes.back().movement = Compare(before, asked.OwnersOf(heavier));
  return changes;
}

}  // namespace l4lb::lookup

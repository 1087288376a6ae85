// SPDX-License-Identifier: Apache-2.0
//
// Least connections: the backend with the lowest (active + 1) / weight, where an idle one counts as
// 0.  Made by MakePolicy().
//
// Of several as low it is the one whose turn in a weighted rotation is the earliest, so that
// connections that follow one another, never two at once, are spread by weight too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"
#include "l4lb/balance/rotation.h"

namespace l4lb {

/// Keeps the best of every block of candidates, and looks again only where something has changed:
/// exact whichever thread changed it, at a cost of O(N / 64 + 64 x blocks that have changed).
class LeastConnections : public Policy {
 public:
  LeastConnections(absl::Span<const uint32_t> weights, PolicyStart start);
  int Pick(const Candidates& candidates, uint64_t flow_key) override;
  void ContinueFrom(const Policy& previous) override;

 private:
  // A backend as it was seen; the less, the better.
  struct Rank {
    int64_t cost = 1;     // active + 1, or 0.
    uint32_t weight = 0;  // Its score is cost / weight: none is the worst.
    int index = kNone;
    Rotation::Time turn;

    bool operator<(const Rank& other) const;
  };

  static constexpr uint64_t kUnknown = uint64_t{1} << 32;  // No value of a change.

  size_t Blocks() const { return seen_.size(); }
  Rank BestOf(const Candidates& candidates, size_t block) const;
  Rank BestOfAll(const Candidates& candidates) const;
  void LookAtChanged(const Candidates& candidates);
  void Replace(size_t block, const Rank& best);

  const std::vector<uint32_t> weights_;
  Rotation rotation_;
  // By block: its entry of changes() when it was last looked at.
  std::vector<uint64_t> seen_;
  // A tree as in an array heap: leaf Blocks() + i is the best of block i, a node the better of its
  // two children, node 1 the best of all.
  std::vector<Rank> best_;
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Round robin: every backend in turn, as often as its weight says; whose turn in the Rotation is
// the earliest.  Made by MakePolicy().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"
#include "l4lb/balance/rotation.h"
#include "l4lb/balance/turn_heap.h"

namespace l4lb {

/// O(log N) while all are eligible, O(N log N) at worst.  A backend that is not eligible when its
/// turn comes is set aside and loses nothing if it is back before its next turn would come; then it
/// is served at once.  After a longer absence it goes on with its next turn: it never has more than
/// one to catch up with.
class RoundRobin : public Policy {
 public:
  RoundRobin(absl::Span<const uint32_t> weights, PolicyStart start);
  int Pick(const Candidates& candidates, uint64_t flow_key) override;
  void ContinueFrom(const Policy& previous) override;

 private:
  // How many of those set aside are looked at again in one pick, so that its cost is bounded.
  static constexpr int kLooksPerPick = 16;

  // All that have a weight are in turns_, but for these.
  void SetUp(std::vector<int> aside);
  // Back into turns_ what is eligible among the next `looks` of aside_.
  void Readmit(const Candidates& candidates, size_t looks);
  void SetAsideIneligible(const Candidates& candidates);
  int Serve();  // The earliest turn, which there must be.

  Rotation rotation_;
  TurnHeap turns_;
  std::vector<int> aside_;  // Those that were not eligible when their turn came.
  size_t look_ = 0;         // Where in aside_ the next look begins.
};

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Round robin: every backend in turn, as often as its weight says.  Made by MakePolicy().
//
// Equal weights: a cursor.  Unequal weights: earliest virtual deadline.  In one unit of virtual
// time, a round, a backend of weight w has w turns, evenly spaced; the m backends of the same
// weight are spread evenly over the space between two turns of one of them.  Turns are taken in
// order of virtual time, so whole rounds are exact and no backend has a run that can be avoided.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"

namespace l4lb {

/// O(1) while all are eligible, O(N) at worst.
class EqualRoundRobin : public Policy {
 public:
  /// `members`: the indices that take part, in their order.
  EqualRoundRobin(std::vector<int> members, PolicyStart start);
  int Pick(const Candidates& candidates, uint64_t flow_key) override;

 private:
  std::vector<int> members_;
  size_t cursor_;
};

/// O(log N) while all are eligible.  A backend that is not eligible when its turn comes is set
/// aside and loses nothing if it is back before its next turn would come; then it is served at
/// once.  After a longer absence it goes on with its next turn: it never has more than one to catch
/// up with.
class WeightedRoundRobin : public Policy {
 public:
  WeightedRoundRobin(absl::Span<const uint32_t> weights, PolicyStart start);
  int Pick(const Candidates& candidates, uint64_t flow_key) override;

 private:
  // A point in virtual time: a round, and the part of it that has passed in 1/2^32.
  struct VirtualTime {
    uint64_t round = 0;
    uint32_t part = 0;
    auto operator<=>(const VirtualTime&) const = default;
  };
  struct Turn {
    VirtualTime deadline;
    int index = 0;
  };
  struct Backend {
    uint32_t weight = 0;  // Turns per round.
    uint32_t turn = 0;    // The one in its deadline, 0 to weight - 1.
    uint32_t rank = 0;    // Among the backends of the same weight, 0 to peers - 1.
    uint32_t peers = 1;   // How many have this weight.
  };

  // How many of those set aside are looked at again in one pick, so that its cost is bounded.
  static constexpr int kLooksPerPick = 16;

  void StartAfter(uint64_t turns);
  // How many turns all together have in the first round until `part`, included.
  uint64_t TurnsUntil(uint32_t part) const;
  static bool Later(const Turn& a, const Turn& b);
  uint32_t PartOf(const Backend& backend, uint32_t turn) const;
  VirtualTime TurnAfter(int index, VirtualTime time);
  VirtualTime FollowingTurn(int index, VirtualTime deadline);
  void Push(const Turn& turn);
  Turn PopEarliest();
  // Back into turns_ what is eligible among the next `looks` of aside_.
  void Readmit(const Candidates& candidates, size_t looks);
  void SetAsideIneligible(const Candidates& candidates);
  int Serve();  // The earliest turn, which there must be.

  std::vector<Backend> backends_;
  std::vector<Turn> turns_;  // A heap, the earliest deadline on top.
  std::vector<Turn> aside_;  // Those that were not eligible when their turn came.
  size_t look_ = 0;          // Where in aside_ the next look begins.
  VirtualTime now_;          // The latest deadline that was served.
};

}  // namespace l4lb

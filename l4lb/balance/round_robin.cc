// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/round_robin.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace l4lb {

EqualRoundRobin::EqualRoundRobin(std::vector<int> members, PolicyStart start)
    : members_(std::move(members)),
      cursor_(members_.size() * static_cast<size_t>(start.index) /
              static_cast<size_t>(start.count)) {}

int EqualRoundRobin::Pick(const Candidates& candidates, uint64_t) {
  for (size_t tries = 0; tries < members_.size(); ++tries) {
    const int index = members_[cursor_];
    if (++cursor_ == members_.size()) cursor_ = 0;
    if (candidates.Eligible(index)) return index;
  }
  return kNone;
}

WeightedRoundRobin::WeightedRoundRobin(absl::Span<const uint32_t> weights, PolicyStart start)
    : backends_(weights.size()) {
  uint32_t divisor = 0;  // Makes the round as short as it can be.
  std::map<uint32_t, uint32_t> peers;
  for (uint32_t weight : weights) {
    divisor = std::gcd(divisor, weight);
    ++peers[weight];
  }
  std::map<uint32_t, uint32_t> seen;
  uint64_t round = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    backends_[i] = {
        .weight = weights[i] / divisor, .rank = seen[weights[i]]++, .peers = peers[weights[i]]};
    round += backends_[i].weight;
  }
  StartAfter(round * static_cast<uint64_t>(start.index) / static_cast<uint64_t>(start.count));
}

// By number of turns and not by time: turns are not evenly spaced, and workers that began at even
// times would together prefer whoever comes after the long gaps.
void WeightedRoundRobin::StartAfter(uint64_t turns) {
  uint32_t part = 0;  // The latest time until which there are at most so many.
  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if (TurnsUntil(part | bit) <= turns) part |= bit;
  }
  now_.part = part;
  turns_.reserve(backends_.size());
  aside_.reserve(backends_.size());
  for (size_t i = 0; i < backends_.size(); ++i) {
    const int index = static_cast<int>(i);
    if (backends_[i].weight > 0) Push({TurnAfter(index, now_), index});
  }
  for (uint64_t passed = TurnsUntil(part); passed < turns; ++passed) Serve();
}

uint64_t WeightedRoundRobin::TurnsUntil(uint32_t part) const {
  uint64_t turns = 0;
  for (const Backend& backend : backends_) {
    if (backend.weight == 0) continue;
    const auto turn = static_cast<uint32_t>((uint64_t{part} * backend.weight) >> 32);
    turns += turn + (PartOf(backend, turn) <= part ? 1 : 0);
  }
  return turns;
}

bool WeightedRoundRobin::Later(const Turn& a, const Turn& b) {
  if (a.deadline != b.deadline) return a.deadline > b.deadline;
  return a.index > b.index;
}

// The middle of the rank-th of `peers` parts of the turn-th of `weight` parts of a round.
uint32_t WeightedRoundRobin::PartOf(const Backend& backend, uint32_t turn) const {
  const uint64_t halves = 2 * uint64_t{backend.peers};
  const uint64_t passed = halves * turn + 2 * backend.rank + 1;
  return static_cast<uint32_t>((passed << 32) / (halves * backend.weight));
}

// The first turn of a backend after `time`; keeps its number.
WeightedRoundRobin::VirtualTime WeightedRoundRobin::TurnAfter(int index, VirtualTime time) {
  Backend& backend = backends_[static_cast<size_t>(index)];
  backend.turn = static_cast<uint32_t>((uint64_t{time.part} * backend.weight) >> 32);
  const VirtualTime deadline = {time.round, PartOf(backend, backend.turn)};
  return deadline > time ? deadline : FollowingTurn(index, deadline);
}

WeightedRoundRobin::VirtualTime WeightedRoundRobin::FollowingTurn(int index, VirtualTime deadline) {
  Backend& backend = backends_[static_cast<size_t>(index)];
  if (++backend.turn == backend.weight) {
    backend.turn = 0;
    ++deadline.round;
  }
  deadline.part = PartOf(backend, backend.turn);
  return deadline;
}

void WeightedRoundRobin::Push(const Turn& turn) {
  turns_.push_back(turn);
  std::push_heap(turns_.begin(), turns_.end(), Later);
}

WeightedRoundRobin::Turn WeightedRoundRobin::PopEarliest() {
  std::pop_heap(turns_.begin(), turns_.end(), Later);
  const Turn turn = turns_.back();
  turns_.pop_back();
  return turn;
}

void WeightedRoundRobin::Readmit(const Candidates& candidates, size_t looks) {
  for (; looks > 0 && !aside_.empty(); --looks) {
    if (look_ >= aside_.size()) look_ = 0;
    Turn turn = aside_[look_];
    if (!candidates.Eligible(turn.index)) {
      ++look_;
      continue;
    }
    aside_[look_] = aside_.back();
    aside_.pop_back();
    Backend& backend = backends_[static_cast<size_t>(turn.index)];
    const uint32_t missed = backend.turn;
    if (FollowingTurn(turn.index, turn.deadline) <= now_) {
      turn.deadline = TurnAfter(turn.index, now_);
    } else {
      backend.turn = missed;
    }
    Push(turn);
  }
}

void WeightedRoundRobin::SetAsideIneligible(const Candidates& candidates) {
  while (!turns_.empty() && !candidates.Eligible(turns_.front().index)) {
    aside_.push_back(PopEarliest());
  }
}

int WeightedRoundRobin::Serve() {
  Turn turn = PopEarliest();
  now_ = std::max(now_, turn.deadline);
  turn.deadline = FollowingTurn(turn.index, turn.deadline);
  Push(turn);
  return turn.index;
}

int WeightedRoundRobin::Pick(const Candidates& candidates, uint64_t) {
  Readmit(candidates, kLooksPerPick);
  SetAsideIneligible(candidates);
  if (turns_.empty()) Readmit(candidates, aside_.size());
  return turns_.empty() ? kNone : Serve();
}

}  // namespace l4lb

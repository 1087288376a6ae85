// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/rotation.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace l4lb {
namespace {

// How many backends have each weight.
using Peers = std::unordered_map<uint32_t, uint32_t>;

// The middle of the rank-th of `peers` parts of the space between two turns, in 1/2^32.
uint32_t PhaseOf(uint32_t rank, uint32_t peers) {
  return static_cast<uint32_t>(((2 * uint64_t{rank} + 1) << 32) / (2 * uint64_t{peers}));
}

// How many turns all together have in a round until `part`, included.  Those of one weight are at
// (2 k + 1) / (2 weight count) of the round.
uint64_t TurnsUntil(const Peers& peers, uint32_t part) {
  uint64_t turns = 0;
  for (const auto& [weight, count] : peers) {
    const uint64_t halves = 2 * uint64_t{weight} * count;
    const uint64_t odd_below = (((uint64_t{part} + 1) * halves - 1) >> 32) + 1;
    turns += odd_below / 2;
  }
  return turns;
}

// The latest part of a round until which at most `turns` are taken.
uint32_t PartAfter(const Peers& peers, uint64_t turns) {
  uint32_t part = 0;
  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if (TurnsUntil(peers, part | bit) <= turns) part |= bit;
  }
  return part;
}

Peers PeersOf(absl::Span<const uint32_t> weights) {
  Peers peers;
  for (const uint32_t weight : weights) {
    if (weight > 0) ++peers[weight];
  }
  return peers;
}

// Where a worker starts.  The pattern of turns repeats as often as the weights have in common.
uint64_t TurnsBefore(absl::Span<const uint32_t> weights, PolicyStart start) {
  uint32_t divisor = 0;
  for (const uint32_t weight : weights) divisor = std::gcd(divisor, weight);
  if (divisor == 0) return 0;
  const uint64_t pattern = std::accumulate(weights.begin(), weights.end(), uint64_t{0}) / divisor;
  return pattern * static_cast<uint64_t>(start.index) / static_cast<uint64_t>(start.count);
}

}  // namespace

Rotation::Rotation(absl::Span<const uint32_t> weights, PolicyStart start)
    : Rotation(weights, TurnsBefore(weights, start)) {}

Rotation::Rotation(absl::Span<const uint32_t> weights, uint64_t turns) : backends_(weights.size()) {
  const Peers peers = PeersOf(weights);
  Peers seen;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    backends_[i].weight = weights[i];
    backends_[i].phase = PhaseOf(seen[weights[i]]++, peers.at(weights[i]));
  }
  if (!peers.empty()) StartAfter(peers, turns);
}

// By number of turns and not by time: turns are not evenly spaced, and workers that began at even
// times would together prefer whoever comes after the long gaps.
void Rotation::StartAfter(const std::unordered_map<uint32_t, uint32_t>& peers, uint64_t turns) {
  now_.part = PartAfter(peers, turns);
  for (Backend& backend : backends_) {
    if (backend.weight > 0) MoveAfter(backend, now_);
  }
  // Of those that come next, all at once, some have had their turn.
  uint64_t left = turns - TurnsUntil(peers, now_.part);
  const Time next = {0, now_.part + 1};
  for (Backend& backend : backends_) {
    if (left == 0) return;
    if (backend.weight == 0 || backend.time != next) continue;
    MoveToFollowing(backend);
    now_ = next;
    --left;
  }
}

Rotation::Time Rotation::Sum(Time time, uint64_t parts) {
  parts += time.part;
  return {time.round + (parts >> 32), static_cast<uint32_t>(parts)};
}

uint32_t Rotation::PartOf(const Backend& backend) {
  return static_cast<uint32_t>(((uint64_t{backend.next} << 32) + backend.phase) / backend.weight);
}

void Rotation::MoveToFollowing(Backend& backend) {
  if (++backend.next == backend.weight) {
    backend.next = 0;
    ++backend.time.round;
  }
  backend.time.part = PartOf(backend);
}

// Its first turn after `time`.
void Rotation::MoveAfter(Backend& backend, Time time) {
  backend.next = static_cast<uint32_t>((uint64_t{time.part} * backend.weight) >> 32);
  backend.time = {time.round, PartOf(backend)};
  if (backend.time <= time) MoveToFollowing(backend);
}

// Shifts its turns so that one is at `time`, and makes that the next.
void Rotation::MoveTo(Backend& backend, Time time) {
  const uint64_t passed = uint64_t{time.part} * backend.weight;
  backend.next = static_cast<uint32_t>(passed >> 32);
  backend.phase = static_cast<uint32_t>(passed);
  backend.time = time;
}

void Rotation::Take(int index) {
  now_ = std::max(now_, turn(index));
  MoveToFollowing(At(index));
}

// Always later than the turn taken before by two parts at least, since the space between two turns
// is rounded to a part: so the turns that follow are in the same order.
void Rotation::TakeAndWait(int index) {
  const Time earliest = Sum(now_, 2);
  if (turn(index) < earliest) MoveTo(At(index), earliest);
  Take(index);
}

void Rotation::DropMissed(int index) {
  Backend following = At(index);
  MoveToFollowing(following);
  if (following.time <= now_) MoveAfter(At(index), now_);
}

void Rotation::ContinueFrom(const Rotation& previous) {
  const auto stays = [this, &previous](int index) {
    return index < previous.size() && previous.weight(index) > 0 && weight(index) > 0;
  };
  std::vector<int> fresh;
  Peers peers;
  bool any_stays = false;
  for (int index = 0; index < size(); ++index) {
    any_stays = any_stays || stays(index);
    if (weight(index) == 0 || stays(index)) continue;
    fresh.push_back(index);
    ++peers[weight(index)];
  }
  if (!any_stays) return;
  now_ = previous.now_;
  for (int index = 0; index < size(); ++index) {
    if (stays(index)) Resume(At(index), previous.At(index));
  }
  Peers seen;
  for (const int index : fresh) {
    At(index).phase = PhaseOf(seen[weight(index)]++, peers.at(weight(index)));
    MoveAfter(At(index), now_);
  }
}

void Rotation::Resume(Backend& backend, const Backend& previous) const {
  if (backend.weight == previous.weight) {
    backend = previous;
  } else if (previous.time <= now_) {
    MoveTo(backend, previous.time);
  } else {
    const uint64_t wait =
        ((previous.time.round - now_.round) << 32) + previous.time.part - now_.part;
    MoveTo(backend, Sum(now_, wait * previous.weight / backend.weight));
  }
}

}  // namespace l4lb

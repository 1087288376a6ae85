// SPDX-License-Identifier: Apache-2.0
//
// When whose turn is, by weight: what round_robin picks by and least_connections decides ties by.
//
// In one round of virtual time a backend of weight w has w turns, evenly spaced; the m backends of
// the same weight are spread evenly over the space between two turns of one of them.  In order of
// virtual time whole rounds are exact, and no backend has a run that can be avoided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"

namespace l4lb {

class Rotation {
 public:
  /// A point in virtual time: a round, and the part of it that has passed in 1/2^32.
  struct Time {
    uint64_t round = 0;
    uint32_t part = 0;
    auto operator<=>(const Time&) const = default;
  };

  /// Weights are not divided by what they have in common, so that a turn means the same before and
  /// after one of them changes.
  Rotation(absl::Span<const uint32_t> weights, PolicyStart start);
  /// Starts when `turns` have been taken, less than a round has.
  Rotation(absl::Span<const uint32_t> weights, uint64_t turns);

  int size() const { return static_cast<int>(backends_.size()); }
  /// Weight 0 has no turns; nothing below may be asked about it.
  uint32_t weight(int index) const { return At(index).weight; }
  /// When its next turn is.
  const Time& turn(int index) const { return At(index).time; }
  /// The latest turn that was taken.
  const Time& now() const { return now_; }

  /// Takes the next turn of a backend.  One that is late does not shift those that follow.
  void Take(int index);
  /// The same, but a late backend waits for a whole space between two turns from now on.  With
  /// equal weights turns are then in the order in which backends were last taken.
  void TakeAndWait(int index);
  /// A late backend goes on with its first turn after now(), if it has missed more than one.
  void DropMissed(int index);

  /// Goes on where `previous` was, unless nobody stays.  A backend whose weight is the same keeps
  /// its turns; one whose weight has changed has still to wait for the same part of the space
  /// between two.
  void ContinueFrom(const Rotation& previous);

 private:
  // Its turns are at (k + phase / 2^32) / weight of every round, for k from 0 to weight - 1.
  struct Backend {
    uint32_t weight = 0;
    uint32_t phase = 0;
    uint32_t next = 0;  // The k of the next turn.
    Time time;          // And when that is.
  };

  const Backend& At(int index) const { return backends_[static_cast<size_t>(index)]; }
  Backend& At(int index) { return backends_[static_cast<size_t>(index)]; }
  void StartAfter(const std::unordered_map<uint32_t, uint32_t>& peers, uint64_t turns);
  static Time Sum(Time time, uint64_t parts);
  static uint32_t PartOf(const Backend& backend);
  static void MoveToFollowing(Backend& backend);
  static void MoveAfter(Backend& backend, Time time);
  static void MoveTo(Backend& backend, Time time);
  void Resume(Backend& backend, const Backend& previous) const;

  std::vector<Backend> backends_;
  Time now_;
};

}  // namespace l4lb

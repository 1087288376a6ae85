// SPDX-License-Identifier: Apache-2.0
//
// How a backend is picked: pure, without I/O and without a clock, so that the daemon, the simulator
// and the lab run the very same code.  One Policy object per pool and worker; not thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/types/span.h"

namespace l4lb {

/// What a policy may ask about the backends at the moment of a pick.  Index = position in the
/// weights that the policy was made with; nothing is asked about one with weight 0, which may be a
/// hole. Other threads may change every answer at any time.
class Candidates {
 public:
  /// How many indices share one entry of changes().
  static constexpr int kBlock = 64;

  virtual ~Candidates() = default;
  /// Healthy, not draining, below its limit, not yet tried by this session.
  virtual bool Eligible(int index) const = 0;
  /// Leases held now.
  virtual int64_t Active(int index) const = 0;
  /// One entry per block of kBlock indices.  Whoever changes an answer of Active() or Eligible() in
  /// a block adds to its entry afterwards, with release order: as long as the entry is what it was,
  /// what a policy has seen in the block still holds.
  virtual absl::Span<const std::atomic<uint32_t>> changes() const = 0;
  /// Eligible() leaves out some for this pick only, such as what this session has tried.  What a
  /// policy sees then must not be kept.
  virtual bool narrowed() const = 0;
};

class Policy {
 public:
  static constexpr int kNone = -1;

  virtual ~Policy() = default;
  /// The index of the picked backend, or kNone when no eligible one has a weight above 0.
  /// `flow_key` is what hash policies hash; the others ignore it.
  virtual int Pick(const Candidates& candidates, uint64_t flow_key) = 0;
  /// Takes over the state of the policy that this one replaces, so that a change of one backend is
  /// none for the others, and an identical one changes no pick.  A backend keeps its index as long
  /// as it lives (a hole has weight 0).  A policy of another kind has nothing to take over.
  virtual void ContinueFrom(const Policy& previous) = 0;
};

enum class PolicyKind : uint8_t { kRoundRobin, kRandom, kLeastConnections, kP2c, kMaglev, kRing };

/// As in the configuration: `round_robin`.
std::string_view Name(PolicyKind kind);

/// Where in its round a policy starts, so that workers do not all begin with the first backend:
/// worker `index` of `count`.  `seed`: for policies that draw; another one for every worker.
struct PolicyStart {
  int index = 0;
  int count = 1;
  uint64_t seed = 1;
};

/// All but kMaglev and kRing: these have MakeLookupPolicy() (lookup.h).  `weights`: 0 to 1000 each,
/// at most 10,000 of them.
std::unique_ptr<Policy> MakePolicy(PolicyKind kind, absl::Span<const uint32_t> weights,
                                   PolicyStart start);

}  // namespace l4lb

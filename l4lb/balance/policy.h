// SPDX-License-Identifier: Apache-2.0
//
// How a backend is picked: pure, without I/O and without a clock, so that the daemon, the simulator
// and the lab run the very same code.  One Policy object per pool and worker; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace l4lb {

/// What a policy may ask about the backends at the moment of a pick.  Index = position in the
/// weights that the policy was made with.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Healthy, not draining, below its limit, not yet tried by this session.  Weight 0 is never
  /// picked whatever this says.
  virtual bool Eligible(int index) const = 0;
  /// Leases held now.
  virtual int64_t Active(int index) const = 0;
};

class Policy {
 public:
  static constexpr int kNone = -1;

  virtual ~Policy() = default;
  /// The index of the picked backend, or kNone when no eligible one has a weight above 0.
  /// `flow_key` is what hash policies hash; the others ignore it.
  virtual int Pick(const Candidates& candidates, uint64_t flow_key) = 0;
};

enum class PolicyKind : uint8_t { kRoundRobin };

std::string_view Name(PolicyKind kind);

/// Where in its round a policy starts, so that workers do not all begin with the first backend:
/// worker `index` of `count`.
struct PolicyStart {
  int index = 0;
  int count = 1;
};

/// `weights`: 0 to 1000 each, at least one entry.
std::unique_ptr<Policy> MakePolicy(PolicyKind kind, absl::Span<const uint32_t> weights,
                                   PolicyStart start);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The tables behind the policies `maglev` and `ring`.  Built once by the control thread and shared
// by all workers; immutable.  The same backends (names, weights) and options give the same table in
// every process, whatever the order of the list.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "l4lb/balance/policy.h"

namespace l4lb {

/// One backend of the pool, dead or alive.
struct LookupNode {
  std::string name;  // Its identity.
  uint32_t weight = 1;
  int index = 0;  // Of the policy's candidates.
};

struct LookupOptions {
  uint32_t table_size = 65537;  // Maglev: slots, a prime.
  uint32_t points = 256;        // Ring: per unit of weight.
  /// No backend gets more than so many percent of its share of all sessions; 0: no bound.
  uint32_t bounded_percent = 0;
};

class Lookup {
 public:
  virtual ~Lookup() = default;

  /// The backend of the flow, or, when that one is not eligible or has its bounded load, the next
  /// one in an order that depends on the flow only.  Policy::kNone when nobody is eligible.
  virtual int Pick(const Candidates& candidates, uint64_t flow_key) const = 0;

  /// Of all that decides where a flow goes: balancers that agree on it agree on every flow.
  virtual uint64_t checksum() const = 0;
  /// "65537 slots", "768 points".
  virtual std::string size_text() const = 0;
  /// What is not wise about the options, or empty.
  virtual std::string warning() const = 0;
  /// One line for each slot or point, in order: its number (the ring's: its place) and the name.
  virtual void Dump(std::ostream& out) const = 0;
};

absl::StatusOr<std::shared_ptr<const Lookup>> BuildMaglev(const std::vector<LookupNode>& nodes,
                                                          const LookupOptions& options);
absl::StatusOr<std::shared_ptr<const Lookup>> BuildRing(const std::vector<LookupNode>& nodes,
                                                        const LookupOptions& options);

/// The policy of one worker that looks up in `lookup`.  It has no state of its own.
std::unique_ptr<Policy> MakeLookupPolicy(std::shared_ptr<const Lookup> lookup);

}  // namespace l4lb

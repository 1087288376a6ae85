// SPDX-License-Identifier: Apache-2.0
//
// When what happens in a mode, and which part of it a moment belongs to.  Times count from its
// beginning.
#pragma once

#include <cstdint>

#include "tools/skew/options.h"

namespace l4lb::skew {

enum class Part : uint8_t {
  kWarmup,   ///< Clients connect.
  kBefore,   ///< Then until something is added.
  kDuring,   ///< From there, half of what follows.
  kAfter,    ///< The other half.
  kRemoved,  ///< From when something is removed.
};
constexpr int kParts = 5;

struct Span {
  int64_t from_ns = 0;
  int64_t to_ns = 0;

  bool empty() const { return to_ns <= from_ns; }
};

class Schedule {
 public:
  explicit Schedule(const Options& options);

  int64_t end_ns() const { return end_ns_; }
  /// What was not reached when the mode was ended early is empty then.
  void EndAt(int64_t now_ns);

  Span SpanOf(Part part) const;
  /// From when something is added until something is removed.
  Span SinceAdded() const { return {SpanOf(Part::kDuring).from_ns, SpanOf(Part::kAfter).to_ns}; }
  Part At(int64_t ns) const;

 private:
  // When each part begins, in their order; those that do not come begin when the next one does.
  int64_t begins_ns_[kParts] = {};
  int64_t end_ns_;
};

}  // namespace l4lb::skew

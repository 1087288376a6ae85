// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/schedule.h"

#include <algorithm>

#include "tools/kit/event_loop.h"

namespace l4lb::skew {

Schedule::Schedule(const Options& options) : end_ns_(options.duration_ms * kit::kNsPerMs) {
  constexpr int64_t kLongestWarmupNs = 500 * kit::kNsPerMs;
  const int64_t left_ns = options.removed > 0 ? options.remove_at_ms * kit::kNsPerMs : end_ns_;
  const int64_t added_ns = options.added > 0 ? options.add_at_ms * kit::kNsPerMs : left_ns;
  begins_ns_[static_cast<int>(Part::kBefore)] = std::min(kLongestWarmupNs, added_ns / 2);
  begins_ns_[static_cast<int>(Part::kDuring)] = added_ns;
  begins_ns_[static_cast<int>(Part::kAfter)] = added_ns + (left_ns - added_ns) / 2;
  begins_ns_[static_cast<int>(Part::kRemoved)] = left_ns;
}

void Schedule::EndAt(int64_t now_ns) {
  end_ns_ = std::min(end_ns_, now_ns);
  for (int64_t& begin_ns : begins_ns_) begin_ns = std::min(begin_ns, end_ns_);
}

Span Schedule::SpanOf(Part part) const {
  const int index = static_cast<int>(part);
  return {begins_ns_[index], index + 1 < kParts ? begins_ns_[index + 1] : end_ns_};
}

Part Schedule::At(int64_t ns) const {
  const int64_t* const after = std::upper_bound(begins_ns_ + 1, begins_ns_ + kParts, ns);
  return static_cast<Part>(after - begins_ns_ - 1);
}

}  // namespace l4lb::skew

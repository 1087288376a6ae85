// SPDX-License-Identifier: Apache-2.0
//
// When each backend finishes what it serves, and which is the first: the simulator's event queue.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace l4lb::lab {

/// A tournament: leaf i is backend i, and each node holds the earlier of its two children.  A
/// backend has one departure at most, so a change is log2(N) comparisons on one path and nothing is
/// ever moved, which a heap would do.
class Departures {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  explicit Departures(int backends)
      : leaves_(std::bit_ceil(static_cast<size_t>(backends))),
        times_ns_(leaves_, kNever),
        winners_(2 * leaves_) {
    for (size_t i = 0; i < leaves_; ++i) winners_[leaves_ + i] = static_cast<int>(i);
    for (size_t node = leaves_ - 1; node > 0; --node) Decide(node);
  }

  /// kNever: it has nothing to do.
  void Set(int backend, int64_t time_ns) {
    times_ns_[static_cast<size_t>(backend)] = time_ns;
    for (size_t node = (leaves_ + static_cast<size_t>(backend)) / 2; node > 0; node /= 2) {
      Decide(node);
    }
  }
  int first() const { return winners_[1]; }
  int64_t first_ns() const { return times_ns_[static_cast<size_t>(first())]; }
  int64_t time_ns(int backend) const { return times_ns_[static_cast<size_t>(backend)]; }

 private:
  void Decide(size_t node) {
    const int left = winners_[2 * node];
    const int right = winners_[2 * node + 1];
    winners_[node] = time_ns(right) < time_ns(left) ? right : left;
  }

  const size_t leaves_;
  std::vector<int64_t> times_ns_;
  std::vector<int> winners_;  // Node 1 is the root.
};

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// How many backends have at least k requests, over time: the tail that the power of two choices is
// known for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace l4lb::lab {

class Occupancy {
 public:
  /// A backend has `count` requests now, one more than before.
  void Enter(int count, int64_t now_ns) { Change(count, 1, now_ns); }
  /// It had `count` requests, and has one less now.
  void Leave(int count, int64_t now_ns) { Change(count, -1, now_ns); }
  /// What was before does not count.
  void Restart(int64_t now_ns) {
    began_ns_ = now_ns;
    for (Level& level : levels_) level = {.backends = level.backends, .changed_ns = now_ns};
  }

  /// By k: the mean number of backends that had at least k requests.  Entry 0 is not counted.
  std::vector<double> Means(int64_t now_ns) const {
    std::vector<double> means;
    const auto whole_ns = static_cast<double>(now_ns - began_ns_);
    for (const Level& level : levels_) {
      const auto rest_ns = static_cast<double>(now_ns - level.changed_ns);
      means.push_back((level.sum_ns + rest_ns * level.backends) / whole_ns);
    }
    return means;
  }

 private:
  struct Level {
    int backends = 0;
    int64_t changed_ns = 0;
    double sum_ns = 0;  // Backends x time, up to changed_ns.
  };
  static constexpr size_t kMost = 256;  // Longer queues are not told apart.

  void Change(int count, int by, int64_t now_ns) {
    const auto k = static_cast<size_t>(count);
    if (k >= kMost) return;
    if (k >= levels_.size()) levels_.resize(k + 1, {.changed_ns = began_ns_});
    Level& level = levels_[k];
    level.sum_ns += static_cast<double>(now_ns - level.changed_ns) * level.backends;
    level.changed_ns = now_ns;
    level.backends += by;
  }

  int64_t began_ns_ = 0;
  std::vector<Level> levels_;
};

}  // namespace l4lb::lab

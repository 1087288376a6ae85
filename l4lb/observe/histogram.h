// SPDX-License-Identifier: Apache-2.0
//
// A log-linear histogram: how often which value was seen, in little memory, with a bounded relative
// error.  For one thread; who wants a total merges the histograms of all threads.
//
// The buckets are those of HdrHistogram (hdrhistogram.org): each power of two is cut into 128 equal
// parts, and values below 256 have a bucket each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace l4lb {

class Histogram {
 public:
  /// Takes memory only when `value` is larger than all before it: 1 KiB for every power of two.
  void Record(uint64_t value) {
    const size_t index = IndexOf(value);
    if (index >= counts_.size()) Grow(index);
    ++counts_[index];
    ++count_;
    sum_ += static_cast<double>(value);
    if (value < min_) min_ = value;
    if (value > max_) max_ = value;
  }
  /// Afterwards this one is as if it had recorded what both have.
  void Merge(const Histogram& other);
  /// Forgets all values and keeps the memory.
  void Clear();

  uint64_t count() const { return count_; }
  uint64_t min() const { return count_ == 0 ? 0 : min_; }  ///< Exact; 0 when empty.
  uint64_t max() const { return max_; }                    ///< Exact; 0 when empty.
  double mean() const;                                     ///< 0 when empty.

  /// The smallest recorded value that at least `share` (0 to 1) of all values do not exceed (the
  /// nearest-rank quantile), off by less than 0.4 %.  Quantile(1) is max().  0 when empty.
  uint64_t Quantile(double share) const;

 private:
  static constexpr int kPartBits = 7;
  static constexpr uint64_t kParts = uint64_t{1} << kPartBits;

  static size_t IndexOf(uint64_t value) {
    // The lowest bit keeps clz defined, and no value below 256 is shifted.
    const int shift = 63 - kPartBits - __builtin_clzll(value | kParts);
    return static_cast<size_t>(shift) * kParts + (value >> shift);
  }
  static uint64_t MiddleOf(size_t index);
  void Grow(size_t index);

  std::vector<uint64_t> counts_;  // By IndexOf(); its size is a multiple of kParts.
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace l4lb

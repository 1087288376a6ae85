// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/histogram.h"

#include <algorithm>
#include <cmath>

namespace l4lb {

void Histogram::Merge(const Histogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void Histogram::Clear() {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = 0;
  min_ = UINT64_MAX;
  max_ = 0;
  sum_ = 0;
}

double Histogram::mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

uint64_t Histogram::Quantile(double share) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(share * static_cast<double>(count_));
  const uint64_t rank = wanted < 1 ? 1 : std::min(count_, static_cast<uint64_t>(wanted));
  if (rank == count_) return max_;
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::clamp(MiddleOf(i), min_, max_);
  }
  return max_;
}

uint64_t Histogram::MiddleOf(size_t index) {
  if (index < 2 * kParts) return index;
  const uint64_t shift = index / kParts - 1;
  const uint64_t lowest = (index - shift * kParts) << shift;
  return lowest + ((uint64_t{1} << shift) - 1) / 2;
}

void Histogram::Grow(size_t index) { counts_.resize((index / kParts + 1) * kParts); }

}  // namespace l4lb

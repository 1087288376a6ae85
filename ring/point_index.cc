// SPDX-License-Identifier: Apache-2.0
#include "ring/point_index.h"

#include <bit>
#include <cassert>

namespace ring {
namespace {

// A bucket is short but for bad hashes.
void SortBucket(absl::Span<Point> bucket) {
  constexpr size_t kShort = 16;
  if (bucket.size() > kShort) {
    std::sort(bucket.begin(), bucket.end());
    return;
  }
  for (size_t i = 1; i < bucket.size(); ++i) {
    const Point point = bucket[i];
    size_t to = i;
    for (; to > 0 && point < bucket[to - 1]; --to) bucket[to] = bucket[to - 1];
    bucket[to] = point;
  }
}

}  // namespace

PointIndex::PointIndex(absl::Span<const Point> points) {
  // One to two buckets per point, and at least two, since a shift by 64 is undefined.
  const size_t buckets = std::bit_ceil(std::max<size_t>(points.size(), 2));
  shift_ = 64 - std::countr_zero(buckets);
  starts_.resize(buckets + 1);
  for (const Point& point : points) ++starts_[(point.position >> shift_) + 1];
  for (size_t i = 1; i <= buckets; ++i) starts_[i] += starts_[i - 1];

  std::vector<uint32_t> ends(starts_.begin(), starts_.end() - 1);
  std::vector<Point> sorted(points.size());
  for (const Point& point : points) sorted[ends[point.position >> shift_]++] = point;
  for (size_t i = 0; i < buckets; ++i) {
    SortBucket(absl::MakeSpan(sorted).subspan(starts_[i], starts_[i + 1] - starts_[i]));
  }

  positions_.reserve(sorted.size() + kAtOnce);
  nodes_.reserve(sorted.size());
  for (const Point& point : sorted) {
    positions_.push_back(point.position);
    nodes_.push_back(point.node);
  }
  positions_.resize(sorted.size() + kAtOnce, UINT64_MAX);
}

// All of the first kAtOnce are before `position`: a bucket that is crowded, or followed by nothing.
size_t PointIndex::FindFurther(const uint64_t* points, size_t count, uint64_t position) noexcept {
  return static_cast<size_t>(std::lower_bound(points, points + count, position) - points);
}

size_t PointIndex::memory_bytes() const {
  return starts_.capacity() * sizeof(uint32_t) + positions_.capacity() * sizeof(uint64_t) +
         nodes_.capacity() * sizeof(uint16_t);
}

}  // namespace ring

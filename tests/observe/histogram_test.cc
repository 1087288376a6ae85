// SPDX-License-Identifier: Apache-2.0
//
// Histogram against sorted lists of the same values.
#include "l4lb/observe/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr double kShares[] = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
constexpr double kBound = 0.004;  // half of 1/128

uint64_t Exact(const std::vector<uint64_t>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[rank < 1 ? 0 : static_cast<size_t>(rank) - 1];
}

void ExpectNear(uint64_t got, uint64_t exact) {
  const double error = std::abs(static_cast<double>(got) - static_cast<double>(exact));
  EXPECT_LE(error, kBound * static_cast<double>(exact)) << got << " instead of " << exact;
}

// Values of all magnitudes up to a random one.
std::vector<uint64_t> RandomValues(Dice& dice) {
  std::vector<uint64_t> values(static_cast<size_t>(dice.Between(1, 3000)));
  const int64_t most_bits = dice.Between(1, 64);
  for (uint64_t& value : values) {
    value = dice.Below(UINT64_MAX) >> (64 - dice.Between(1, most_bits));
  }
  return values;
}

Histogram HistogramOf(const std::vector<uint64_t>& values) {
  Histogram histogram;
  for (const uint64_t value : values) histogram.Record(value);
  return histogram;
}

void ExpectAs(const Histogram& histogram, std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  ASSERT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
  for (const double share : kShares) {
    SCOPED_TRACE(share);
    ExpectNear(histogram.Quantile(share), Exact(values, share));
  }
  double sum = 0;
  for (const uint64_t value : values) sum += static_cast<double>(value);
  const double mean = sum / static_cast<double>(values.size());
  EXPECT_NEAR(histogram.mean(), mean, mean * 1e-9);
}

TEST(HistogramTest, QuantilesOfRandomValues) {
  Dice dice(std::random_device{}());
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
    const std::vector<uint64_t> values = RandomValues(dice);
    ExpectAs(HistogramOf(values), values);
  }
}

TEST(HistogramTest, MergedIsAsIfOneHadRecordedAll) {
  Dice dice(std::random_device{}());
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    std::vector<uint64_t> all = RandomValues(dice);
    const std::vector<uint64_t> more = RandomValues(dice);
    Histogram merged = HistogramOf(all);
    merged.Merge(HistogramOf(more));
    all.insert(all.end(), more.begin(), more.end());
    ExpectAs(merged, all);
    EXPECT_EQ(merged.Quantile(0.5), HistogramOf(all).Quantile(0.5));
  }
}

TEST(HistogramTest, EveryBorderOfABucketIsWithinTheBound) {
  for (int bit = 0; bit < 64; ++bit) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
      const uint64_t value = (uint64_t{1} << bit) + offset;
      // The second largest of three is not simply max().
      ExpectNear(HistogramOf({value, value, UINT64_MAX}).Quantile(0.5), value);
    }
  }
}

TEST(HistogramTest, ValuesBelow256AreExact) {
  for (uint64_t value = 0; value < 256; ++value) {
    EXPECT_EQ(HistogramOf({value, value, 1000000}).Quantile(0.5), value);
  }
}

TEST(HistogramTest, EmptyAndCleared) {
  Histogram histogram;
  EXPECT_EQ(histogram.Quantile(0.99), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  histogram.Record(7);
  histogram.Clear();
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  Histogram other = HistogramOf({5});
  other.Merge(histogram);
  EXPECT_EQ(other.min(), 5u);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What the tests of policies share: candidates that a test changes, and counting of picks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "l4lb/balance/policy.h"
#include "tests/support/dice.h"

namespace l4lb {

using Weights = std::vector<uint32_t>;

class PoolModel : public Candidates {
 public:
  explicit PoolModel(size_t backends)
      : eligible(backends, true),
        hole(backends, false),
        active_(backends),
        changes_(backends / kBlock + 1) {}

  bool Eligible(int index) const override {
    ++looks;
    hole_looks += hole[static_cast<size_t>(index)];
    return eligible[static_cast<size_t>(index)];
  }
  int64_t Active(int index) const override {
    hole_looks += hole[static_cast<size_t>(index)];
    return active_[static_cast<size_t>(index)];
  }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return changes_; }
  bool narrowed() const override { return false; }

  void SetEligible(int index, bool value) {
    eligible[static_cast<size_t>(index)] = value;
    Changed(index);
  }
  void Add(int index, int64_t change) {
    active_[static_cast<size_t>(index)] += change;
    Changed(index);
  }
  size_t size() const { return eligible.size(); }

  // May be set directly for a policy that does not look at changes().
  std::vector<char> eligible;
  std::vector<char> hole;          // There is no backend that could be asked about.
  mutable int64_t looks = 0;       // How often the policy asked Eligible().
  mutable int64_t hole_looks = 0;  // How often it asked about a hole.

 private:
  void Changed(int index) { ++changes_[static_cast<size_t>(index / kBlock)]; }

  std::vector<int64_t> active_;
  std::vector<std::atomic<uint32_t>> changes_;
};

/// The candidates of a session that has tried some already.
class Untried : public Candidates {
 public:
  Untried(const Candidates& all, std::vector<int> tried) : all_(all), tried_(std::move(tried)) {}

  bool Eligible(int index) const override {
    return std::find(tried_.begin(), tried_.end(), index) == tried_.end() && all_.Eligible(index);
  }
  int64_t Active(int index) const override { return all_.Active(index); }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return all_.changes(); }
  bool narrowed() const override { return true; }

 private:
  const Candidates& all_;
  const std::vector<int> tried_;
};

/// The next `count` picks.
inline std::vector<int> Picks(Policy& policy, const Candidates& candidates, int64_t count) {
  std::vector<int> picks;
  for (int64_t i = 0; i < count; ++i) picks.push_back(policy.Pick(candidates, 0));
  return picks;
}

/// How often each of `backends` was picked; kNone is not counted.
inline std::vector<int64_t> Shares(const std::vector<int>& picks, size_t backends) {
  std::vector<int64_t> shares(backends);
  for (int pick : picks) {
    if (pick != Policy::kNone) ++shares[static_cast<size_t>(pick)];
  }
  return shares;
}

inline int LongestRun(const std::vector<int>& picks) {
  int longest = 0;
  int run = 0;
  for (size_t i = 0; i < picks.size(); ++i) {
    run = i > 0 && picks[i] == picks[i - 1] ? run + 1 : 1;
    longest = longest < run ? run : longest;
  }
  return longest;
}

inline int64_t SumOf(const Weights& weights) {
  return std::accumulate(weights.begin(), weights.end(), int64_t{0});
}

/// Picks after which every backend has had exactly its weight, divided by what all have in common.
inline int64_t RoundOf(const Weights& weights) {
  uint32_t divisor = 0;
  for (uint32_t weight : weights) divisor = std::gcd(divisor, weight);
  return SumOf(weights) / divisor;
}

/// Small or large ones, some of them 0, not all.
inline Weights RandomWeights(Dice& dice, size_t backends) {
  const int64_t highest = dice.Chance(0.5) ? 5 : 1000;
  Weights weights;
  for (size_t i = 0; i < backends; ++i) {
    weights.push_back(dice.Chance(0.1) ? 0 : static_cast<uint32_t>(dice.Between(1, highest)));
  }
  weights[dice.Below(backends)] = static_cast<uint32_t>(dice.Between(1, highest));
  return weights;
}

/// Pearson's statistic of counts that should be as `weights`, over its degrees of freedom, in
/// standard deviations above its mean: with whatever is drawn by these weights nearly always
/// below 4.
inline double ChiSquareExcess(const std::vector<int64_t>& counts, const Weights& weights) {
  const auto drawn = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  const auto sum = static_cast<double>(SumOf(weights));
  double statistic = 0;
  int freedom = -1;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (weights[i] == 0) {
      statistic += counts[i] == 0 ? 0 : 1e9;
      continue;
    }
    const double due = drawn * weights[i] / sum;
    statistic +=
        (static_cast<double>(counts[i]) - due) * (static_cast<double>(counts[i]) - due) / due;
    ++freedom;
  }
  return freedom == 0 ? statistic : (statistic - freedom) / std::sqrt(2.0 * freedom);
}

}  // namespace l4lb

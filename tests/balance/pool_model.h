// SPDX-License-Identifier: Apache-2.0
//
// What the tests of policies share: candidates whose eligibility is a list, and counting of picks.
#pragma once

#include <memory>
#include <vector>

#include "l4lb/balance/policy.h"

namespace l4lb {

class PoolModel : public Candidates {
 public:
  explicit PoolModel(size_t backends) : eligible(backends, true) {}

  bool Eligible(int index) const override {
    ++looks;
    return eligible[static_cast<size_t>(index)];
  }
  int64_t Active(int) const override { return 0; }

  std::vector<char> eligible;
  mutable int64_t looks = 0;  // How often the policy asked.
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

}  // namespace l4lb

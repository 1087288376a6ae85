// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

class FakeCandidates final : public Candidates {
 public:
  explicit FakeCandidates(size_t count) : active(count), eligible(count, true) {}
  bool Eligible(int index) const override { return eligible[static_cast<size_t>(index)]; }
  int64_t Active(int index) const override { return active[static_cast<size_t>(index)]; }
  absl::Span<const std::atomic<uint32_t>> changes() const override { return changes_; }
  bool narrowed() const override { return false; }

  std::vector<int64_t> active;
  std::vector<bool> eligible;

 private:
  std::vector<std::atomic<uint32_t>> changes_ = std::vector<std::atomic<uint32_t>>(1);
};

enum class Kind { kMaglev, kRing };

class LookupTest : public ::testing::TestWithParam<Kind> {
 protected:
  static std::vector<LookupNode> Nodes(int count) {
    std::vector<LookupNode> nodes;
    for (int i = 0; i < count; ++i) nodes.push_back({absl::StrCat("backend-", i), 1, i});
    return nodes;
  }
  static std::shared_ptr<const Lookup> Build(const std::vector<LookupNode>& nodes,
                                             const LookupOptions& options = {}) {
    auto built =
        GetParam() == Kind::kMaglev ? BuildMaglev(nodes, options) : BuildRing(nodes, options);
    EXPECT_TRUE(built.ok()) << built.status();
    return *built;
  }
};

TEST_P(LookupTest, TheOrderOfTheListDoesNotMatter) {
  std::vector<LookupNode> nodes = Nodes(20);
  const auto one = Build(nodes);
  Dice dice(3);
  dice.Shuffle(nodes);
  const auto two = Build(nodes);
  EXPECT_EQ(one->checksum(), two->checksum());
  const FakeCandidates candidates(20);
  for (int i = 0; i < 2'000; ++i) {
    const uint64_t key = dice.Below(UINT64_MAX);
    EXPECT_EQ(one->Pick(candidates, key), two->Pick(candidates, key));
  }
}

TEST_P(LookupTest, OnlyTheFlowsOfWhoIsNotEligibleMove) {
  const auto lookup = Build(Nodes(10));
  FakeCandidates candidates(10);
  Dice dice(4);
  std::vector<std::pair<uint64_t, int>> before;
  for (int i = 0; i < 5'000; ++i) {
    const uint64_t key = dice.Below(UINT64_MAX);
    before.emplace_back(key, lookup->Pick(candidates, key));
  }
  candidates.eligible[3] = candidates.eligible[7] = false;
  std::set<int> heirs;
  for (const auto& [key, index] : before) {
    const int now = lookup->Pick(candidates, key);
    if (index == 3 || index == 7) {
      EXPECT_TRUE(candidates.eligible[static_cast<size_t>(now)]);
      heirs.insert(now);
    } else {
      EXPECT_EQ(now, index);
    }
  }
  EXPECT_EQ(heirs.size(), 8u) << "spread over all others";
}

TEST_P(LookupTest, FindsTheOnlyEligibleOneAndNoneWhenThereIsNone) {
  const auto lookup = Build(Nodes(50));
  FakeCandidates candidates(50);
  std::fill(candidates.eligible.begin(), candidates.eligible.end(), false);
  EXPECT_EQ(lookup->Pick(candidates, 77), Policy::kNone);
  candidates.eligible[31] = true;
  Dice dice(5);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(lookup->Pick(candidates, dice.Below(UINT64_MAX)), 31);
}

TEST_P(LookupTest, WeightsCountAndZeroHasNone) {
  std::vector<LookupNode> nodes = Nodes(3);
  nodes[0].weight = 1;
  nodes[1].weight = 3;
  nodes[2].weight = 0;
  const auto lookup = Build(nodes);
  const FakeCandidates candidates(3);
  std::map<int, int> picked;
  Dice dice(6);
  for (int i = 0; i < 20'000; ++i) ++picked[lookup->Pick(candidates, dice.Below(UINT64_MAX))];
  EXPECT_EQ(picked.count(2), 0u);
  EXPECT_NEAR(static_cast<double>(picked[1]) / picked[0], 3, 0.7);
}

// However the flows come: nobody has more than his bound while there is room elsewhere.
TEST_P(LookupTest, ABoundedLoadIsKept) {
  constexpr int kNodes = 10;
  const auto lookup = Build(Nodes(kNodes), {.bounded_percent = 125});
  FakeCandidates candidates(kNodes);
  Dice dice(7);
  std::vector<int> open;
  for (int step = 0; step < 5'000; ++step) {
    if (!open.empty() && dice.Chance(0.4)) {
      std::swap(open[dice.Below(open.size())], open.back());
      --candidates.active[static_cast<size_t>(open.back())];
      open.pop_back();
    }
    const uint64_t flow = dice.Below(3);  // Few clients, many connections.
    const int index = lookup->Pick(candidates, flow * 0x9e3779b97f4a7c15);
    ASSERT_NE(index, Policy::kNone);
    const auto total = static_cast<int64_t>(open.size());
    const int64_t cap = (125 * (total + 1) + 100 * kNodes - 1) / (100 * kNodes);
    EXPECT_LT(candidates.active[static_cast<size_t>(index)], cap) << "step " << step;
    ++candidates.active[static_cast<size_t>(index)];
    open.push_back(index);
  }
}

TEST_P(LookupTest, TheBoundGivesWayWhenOnlyFullOnesAreEligible) {
  const auto lookup = Build(Nodes(3), {.bounded_percent = 101});
  FakeCandidates candidates(3);
  candidates.active = {100, 0, 0};
  candidates.eligible = {true, false, false};
  EXPECT_EQ(lookup->Pick(candidates, 5), 0);
}

TEST_P(LookupTest, IndicesAreThoseOfTheCandidates) {
  std::vector<LookupNode> nodes = Nodes(4);
  for (LookupNode& node : nodes) node.index += 3;  // Three holes before them.
  const auto lookup = Build(nodes);
  const FakeCandidates candidates(7);
  Dice dice(8);
  for (int i = 0; i < 100; ++i) EXPECT_GE(lookup->Pick(candidates, dice.Below(UINT64_MAX)), 3);
}

TEST_P(LookupTest, DumpsALineForEach) {
  const auto lookup = Build(Nodes(3), {.table_size = 101, .points = 10});
  std::ostringstream out;
  lookup->Dump(out);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), GetParam() == Kind::kMaglev ? 101 : 30);
  EXPECT_NE(text.find(" backend-2\n"), std::string::npos);
  EXPECT_EQ(lookup->size_text(), GetParam() == Kind::kMaglev ? "101 slots" : "30 points");
}

TEST_P(LookupTest, AllOfWeightZeroIsAnError) {
  std::vector<LookupNode> nodes = Nodes(1);
  nodes[0].weight = 0;
  EXPECT_FALSE((GetParam() == Kind::kMaglev ? BuildMaglev(nodes, {}) : BuildRing(nodes, {})).ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, LookupTest, ::testing::Values(Kind::kMaglev, Kind::kRing),
                         [](const auto& info) {
                           return info.param == Kind::kMaglev ? "Maglev" : "Ring";
                         });

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/algorithms.h"

#include <algorithm>
#include <set>

#include "gtest/gtest.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {
namespace {

const Options kSmall = {.points = {40, 160}, .table_sizes = {1009}};

std::set<uint32_t> OwnersOf(const Subject& subject) {
  const std::vector<uint64_t> hashes = KeyHashes(3, 5'000);
  std::vector<uint32_t> owners(hashes.size());
  subject.FindOwners(hashes, absl::MakeSpan(owners));
  return {owners.begin(), owners.end()};
}

TEST(Algorithms, AreThoseAskedFor) {
  std::vector<std::string> titles;
  for (const Algorithm& one : AllAlgorithms(kSmall)) {
    titles.push_back(TitleOf(one.name, one.table_size, one.points));
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"modulo", "jump", "rendezvous", "multi_probe",
                                              "textbook_ring V=256", "ring V=40", "ring V=160",
                                              "maglev 1009"}));
}

// Eleven, so that byte order of names is another one than that of numbers.
TEST(Algorithms, EveryNodeHasKeys) {
  for (const Algorithm& algorithm : AllAlgorithms(kSmall)) {
    const std::set<uint32_t> owners = OwnersOf(*Make(algorithm, EqualNodes(11)));
    EXPECT_EQ(owners.size(), 11) << algorithm.name;
    EXPECT_EQ(*owners.rbegin(), 10) << algorithm.name;
  }
}

TEST(Algorithms, TheDeadHaveNoneAndAllOthersHave) {
  for (const Algorithm& algorithm : AllAlgorithms(kSmall)) {
    for (const uint32_t dead : {0, 1, 10}) {  // By name 10 comes after 1.
      std::vector<bool> alive(11, true);
      alive[dead] = false;
      const std::set<uint32_t> owners = OwnersOf(*algorithm.make(EqualNodes(11), alive));
      EXPECT_EQ(owners.size(), 10) << algorithm.name;
      EXPECT_EQ(owners.count(dead), 0) << algorithm.name << " " << dead;
    }
  }
}

TEST(Algorithms, ANodeOfTwiceTheWeightHasTwiceTheKeys) {
  const std::vector<uint64_t> hashes = KeyHashes(4, 50'000);
  for (const Algorithm& algorithm : AllAlgorithms({.points = {1000}, .table_sizes = {1009}})) {
    if (!algorithm.has_weights) continue;
    std::vector<Node> nodes = EqualNodes(11);
    nodes[2].weight = 2;
    std::vector<uint32_t> owners(hashes.size());
    Make(algorithm, nodes)->FindOwners(hashes, absl::MakeSpan(owners));
    const auto heavy = static_cast<double>(std::count(owners.begin(), owners.end(), 2u));
    EXPECT_NEAR(heavy / static_cast<double>(owners.size()), 2.0 / 12, 0.04) << algorithm.name;
  }
}

TEST(KeyHashes, DependOnTheSeedOnly) {
  EXPECT_EQ(KeyHashes(5, 100), KeyHashes(5, 100));
  EXPECT_NE(KeyHashes(5, 100), KeyHashes(6, 100));
  const std::vector<uint64_t> hashes = KeyHashes(5, 1'000);
  EXPECT_EQ(std::set<uint64_t>(hashes.begin(), hashes.end()).size(), 1'000);
}

}  // namespace
}  // namespace l4lb::lookup

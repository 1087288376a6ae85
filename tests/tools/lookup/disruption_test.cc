// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/disruption.h"

#include <map>

#include "gtest/gtest.h"
#include "tools/lookup/survey.h"

namespace l4lb::lookup {
namespace {

using Owners = std::vector<uint32_t>;

constexpr uint64_t kSeed = 7;
constexpr uint32_t kKeys = 10'000;

Algorithm Named(const std::string& name) {
  for (Algorithm& algorithm : AllAlgorithms({.points = {64}, .table_sizes = {1009}})) {
    if (algorithm.name == name) return algorithm;
  }
  ADD_FAILURE() << name;
  return {};
}

std::map<std::string, std::optional<Movement>> ChangesOf(const std::string& name, uint32_t nodes) {
  std::map<std::string, std::optional<Movement>> changes;
  for (const Change& change : MeasureChanges(Named(name), nodes, KeyHashes(kSeed, kKeys))) {
    changes[change.name] = change.movement;
  }
  return changes;
}

TEST(Compare, NothingMoves) {
  const Movement movement = Compare(Owners{1, 2, 3}, Owners{1, 2, 3});
  EXPECT_EQ(movement.moved, 0);
  EXPECT_EQ(movement.ideal, 0);
  EXPECT_EQ(movement.extra, 0);
}

TEST(Compare, WhatANewNodeGetsHadToMove) {
  const Movement movement = Compare(Owners{0, 0, 1, 1}, Owners{0, 2, 1, 1});
  EXPECT_DOUBLE_EQ(movement.moved, 0.25);
  EXPECT_DOUBLE_EQ(movement.ideal, 0.25);
  EXPECT_EQ(movement.extra, 0);
}

TEST(Compare, AnExchangeIsInVain) {
  const Movement movement = Compare(Owners{0, 0, 1, 1}, Owners{1, 0, 0, 1});
  EXPECT_DOUBLE_EQ(movement.moved, 0.5);
  EXPECT_EQ(movement.ideal, 0);
  EXPECT_DOUBLE_EQ(movement.extra, 0.5);
}

// Of 40 numbers in a row, 40 the least common multiple of 8 and 10, only those whose rest is below
// 8 by both stay: 8.  From 9 to 10 nodes 9 of 90.
TEST(MeasureGrowth, ModuloByHand) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < 360; ++i) numbers.push_back(i);
  const std::vector<Change> growth = MeasureGrowth(Named("modulo"), numbers);
  ASSERT_EQ(growth.size(), 2);
  EXPECT_EQ(growth[0].name, "8->10");
  EXPECT_DOUBLE_EQ(growth[0].movement->moved, 0.8);
  EXPECT_DOUBLE_EQ(growth[0].movement->ideal, 0.2);
  EXPECT_DOUBLE_EQ(growth[0].movement->extra, 0.6);
  EXPECT_EQ(growth[1].name, "9->10");
  EXPECT_DOUBLE_EQ(growth[1].movement->moved, 0.9);
  EXPECT_DOUBLE_EQ(growth[1].movement->ideal, 0.1);
}

// From 2 to 3 nodes by modulo: of 6 numbers in a row 0 and 1 stay.
TEST(MeasureChanges, ModuloByHand) {
  const std::vector<uint64_t> numbers = {0, 1, 2, 3, 4, 5};
  const std::vector<Change> changes = MeasureChanges(Named("modulo"), 2, numbers);
  ASSERT_EQ(changes.front().name, "+1");
  EXPECT_DOUBLE_EQ(changes.front().movement->moved, 4.0 / 6);
  EXPECT_DOUBLE_EQ(changes.front().movement->ideal, 2.0 / 6);
}

TEST(MeasureChanges, NoKeyMovesInVainOnARingOrByRendezvous) {
  for (const char* name : {"ring", "textbook_ring", "rendezvous", "multi_probe"}) {
    for (const auto& [change, movement] : ChangesOf(name, 20)) {
      if (!movement.has_value()) continue;
      EXPECT_EQ(movement->extra, 0) << name << " " << change;
      EXPECT_GT(movement->moved, 0) << name << " " << change;
    }
  }
}

TEST(MeasureChanges, MaglevMovesSlotsInVainWhenRebuiltAndNoneWhenANodeDies) {
  const auto changes = ChangesOf("maglev", 20);
  EXPECT_GT(changes.at("-1")->extra, 0);
  EXPECT_LT(changes.at("-1")->extra, 0.1);
  for (const char* health : {"kill 1", "kill 10%", "revive"}) {
    EXPECT_EQ(changes.at(health)->extra, 0) << health;
    EXPECT_GT(changes.at(health)->moved, 0) << health;
  }
}

// It can only lose its last node: all behind the one removed are renumbered.
TEST(MeasureChanges, JumpMovesInVainWhenAMiddleNodeGoes) {
  const auto changes = ChangesOf("jump", 20);
  EXPECT_EQ(changes.at("+1")->extra, 0);
  EXPECT_GT(changes.at("-1")->extra, 0.2);
}

TEST(MeasureChanges, AWeightCannotChangeWhereThereIsNone) {
  for (const char* name : {"modulo", "jump", "multi_probe"}) {
    EXPECT_FALSE(ChangesOf(name, 10).at("weight x2").has_value()) << name;
  }
  for (const char* name : {"ring", "rendezvous", "maglev", "textbook_ring"}) {
    const std::optional<Movement> movement = ChangesOf(name, 10).at("weight x2");
    ASSERT_TRUE(movement.has_value()) << name;
    // A share of 1 in 10 becomes 2 in 11.
    EXPECT_NEAR(movement->ideal, 2.0 / 11 - 0.1, 0.05) << name;
  }
}

TEST(MeasureChanges, EveryTenthNodeDiesAndOneComesBack) {
  const auto changes = ChangesOf("rendezvous", 40);
  EXPECT_NEAR(changes.at("kill 1")->moved, 1.0 / 40, 0.01);
  EXPECT_NEAR(changes.at("kill 10%")->moved, 0.1, 0.01);
  EXPECT_NEAR(changes.at("revive")->moved, 1.0 / 37, 0.01);
}

TEST(MeasureChanges, AreTheSameEveryTime) {
  for (const Algorithm& algorithm : AllAlgorithms({.points = {40}, .table_sizes = {1009}})) {
    const auto once = MeasureChanges(algorithm, 10, KeyHashes(kSeed, 5'000));
    const auto again = MeasureChanges(algorithm, 10, KeyHashes(kSeed, 5'000));
    ASSERT_EQ(once.size(), again.size());
    for (size_t i = 0; i < once.size(); ++i) {
      ASSERT_EQ(once[i].movement.has_value(), again[i].movement.has_value());
      if (!once[i].movement.has_value()) continue;
      EXPECT_EQ(once[i].movement->moved, again[i].movement->moved) << algorithm.name;
      EXPECT_EQ(once[i].movement->ideal, again[i].movement->ideal) << algorithm.name;
    }
  }
}

}  // namespace
}  // namespace l4lb::lookup

// SPDX-License-Identifier: Apache-2.0
#include "maglev/overlay.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "maglev/mix.h"
#include "maglev/prime.h"
#include "tests/maglev/layout.h"
#include "tests/support/dice.h"

namespace maglev {
namespace {

constexpr uint64_t kSeed = 56;

// A vector<bool> has no elements to point at.
class Alive {
 public:
  Alive(size_t nodes, bool alive) : size_(nodes), flags_(new bool[nodes]) {
    std::fill_n(flags_.get(), nodes, alive);
  }
  bool& operator[](size_t node) { return flags_[node]; }
  absl::Span<const bool> span() const { return absl::MakeConstSpan(flags_.get(), size_); }

 private:
  size_t size_;
  std::unique_ptr<bool[]> flags_;
};

Alive AnyAlive(l4lb::Dice& dice, const Table& table) {
  Alive alive(table.nodes(), false);
  const double share = dice.Chance(0.3) ? 0.05 : 0.8;
  for (size_t i = 0; i < table.nodes(); ++i) alive[i] = dice.Chance(share);
  alive[dice.Below(table.nodes())] = true;
  return alive;
}

// The definition: walk until somebody is alive.
Owners Plainly(const Table& full, const Alive& alive) {
  Owners owners(full.size());
  for (uint32_t slot = 0; slot < full.size(); ++slot) {
    const uint64_t step = Mix(slot) % (full.size() - 1) + 1;
    uint64_t at = slot;
    while (!alive.span()[full.owner(static_cast<uint32_t>(at))]) at = (at + step) % full.size();
    owners[slot] = full.owner(static_cast<uint32_t>(at));
  }
  return owners;
}

Table AnyTable(l4lb::Dice& dice) {
  std::vector<uint32_t> weights(dice.Below(60) + 1);
  for (uint32_t& weight : weights) weight = static_cast<uint32_t>(dice.Below(5)) + 1;
  const uint32_t size = NextPrime(static_cast<uint32_t>(weights.size() + dice.Below(1500)));
  return *Table::Build(Named(weights), {.size = size});
}

TEST(OverlayTest, AnyAliveSetIsAsDefined) {
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 1000; ++i) {
    const Table full = AnyTable(dice);
    const Alive alive = AnyAlive(dice, full);
    ASSERT_EQ(OwnersOf(*full.WithAlive(alive.span())), Plainly(full, alive))
        << "seed " << kSeed << ", case " << i;
  }
}

// From any alive set to any other with one node less: only the slots of that node move.  And back,
// whatever happened in between.
TEST(OverlayTest, OnlySlotsOfTheDeadMove) {
  l4lb::Dice dice(kSeed + 1);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed + 1) + ", case " + std::to_string(i));
    const Table full = AnyTable(dice);
    Alive alive = AnyAlive(dice, full);
    const size_t dying = dice.Below(full.nodes());
    alive[dying] = true;
    const Table before = *full.WithAlive(alive.span());
    alive[dying] = false;
    const absl::StatusOr<Table> after = before.WithAlive(alive.span());
    if (!after.ok()) continue;  // It was the last.
    for (uint32_t slot = 0; slot < full.size(); ++slot) {
      if (before.owner(slot) == dying) {
        ASSERT_NE(after->owner(slot), dying);
      } else {
        ASSERT_EQ(after->owner(slot), before.owner(slot));
      }
    }
    const Table back = *after->WithAlive(Alive(full.nodes(), true).span());
    ASSERT_EQ(back.Checksum(), full.Checksum());
  }
}

// Where hardly any slot is alive the end of a walk is computed: it must be the same end.
TEST(OverlayTest, OneOfAThousandAlive) {
  const Table full = *Table::Build(Named(std::vector<uint32_t>(1000, 1)), {.size = 65537});
  Alive alive(1000, false);
  alive[17] = alive[803] = true;
  const Table overlay = *full.WithAlive(alive.span());
  l4lb::Dice dice(kSeed);
  for (int i = 0; i < 300; ++i) {
    const auto slot = static_cast<uint32_t>(dice.Below(full.size()));
    const uint64_t step = Mix(slot) % (full.size() - 1) + 1;
    uint64_t at = slot;
    while (!alive[full.owner(static_cast<uint32_t>(at))]) at = (at + step) % full.size();
    ASSERT_EQ(overlay.owner(slot), full.owner(static_cast<uint32_t>(at))) << "seed " << kSeed;
  }
}

TEST(OverlayTest, TheDeadAreReplacedByWeight) {
  const Table full = *Table::Build(Named({1, 1, 2, 4}), {.size = 65537});
  Alive alive(4, true);
  alive[0] = false;
  const std::vector<uint32_t> shares = Shares(OwnersOf(*full.WithAlive(alive.span())), 4);
  EXPECT_EQ(shares[0], 0u);
  for (uint32_t node = 1; node < 4; ++node) {
    EXPECT_NEAR(shares[node], 65537. * full.weight(node) / 7, 65537 * 0.01);
  }
}

TEST(OverlayTest, Refusals) {
  const Table full = *Table::Build(Named({1, 0, 1}), {.size = 307});
  EXPECT_EQ(full.WithAlive(Alive(2, true).span()).status().code(),
            absl::StatusCode::kInvalidArgument);
  Alive alive(3, false);
  alive[1] = true;  // Has no weight.
  EXPECT_EQ(full.WithAlive(alive.span()).status().code(), absl::StatusCode::kFailedPrecondition);
  alive[2] = true;
  const Table overlay = *full.WithAlive(alive.span());
  EXPECT_EQ(Shares(OwnersOf(overlay), 3), (std::vector<uint32_t>{0, 0, 307}));
  EXPECT_FALSE(overlay.alive(0));
  EXPECT_TRUE(overlay.alive(2));
  EXPECT_EQ(overlay.weight_sum(), 1u);
}

// Literal: whoever changes this moves flows of users whose backend is down.
TEST(OverlayTest, LayoutNeverChanges) {
  const Table full = *Table::Build(Named({1, 2, 4}), {.size = 31});
  Alive alive(3, true);
  alive[2] = false;
  EXPECT_EQ(OwnersOf(*full.WithAlive(alive.span())), FromDigits("0111010101101111101111011010110"));
}

}  // namespace
}  // namespace maglev

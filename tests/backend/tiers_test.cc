// SPDX-License-Identifier: Apache-2.0
#include "l4lb/backend/tiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/dice.h"

namespace l4lb {
namespace {

// f: fit, n: unproven, x: unfit; capitals are backups; - is not ready.
std::vector<Standing> Standings(const std::string& letters) {
  std::vector<Standing> standings;
  for (const char letter : letters) {
    const bool backup = letter >= 'A' && letter <= 'Z';
    const char kind = backup ? static_cast<char>(letter - 'A' + 'a') : letter;
    standings.push_back({.ready = letter != '-',
                         .backup = backup,
                         .fitness = kind == 'f'   ? Fitness::kFit
                                    : kind == 'n' ? Fitness::kUnproven
                                                  : Fitness::kUnfit});
  }
  return standings;
}

// "+" for each that takes sessions, and "!" at the end when it fails open.
std::string Decision(const std::string& letters, int64_t fail_open_percent = 0) {
  const Tiers tiers = DecideTiers(Standings(letters), fail_open_percent);
  std::string text;
  for (const bool open : tiers.open) text += open ? '+' : '.';
  return tiers.fail_open ? text + "!" : text;
}

TEST(TiersTest, TheFitTakeSessions) {
  EXPECT_EQ(Decision("ffxf-"), "++.+.");
  EXPECT_EQ(Decision(""), "");
  EXPECT_EQ(Decision("xx"), "..");
}

TEST(TiersTest, BackupsTakeThemWhenNobodyElseDoes) {
  EXPECT_EQ(Decision("fxF"), "+..");
  EXPECT_EQ(Decision("xxFX"), "..+.");
  EXPECT_EQ(Decision("--F"), "..+");
}

TEST(TiersTest, UnprovenOnesOnlyWhenNobodyIsFit) {
  EXPECT_EQ(Decision("fn"), "+.");
  EXPECT_EQ(Decision("nnx"), "++.");
  EXPECT_EQ(Decision("nF"), ".+");
  EXPECT_EQ(Decision("nn", 50), "++") << "that is no failing open";
}

TEST(TiersTest, FailsOpenBelowTheShare) {
  EXPECT_EQ(Decision("fx", 50), "+.") << "half is not below half";
  EXPECT_EQ(Decision("fxx", 50), "+++!");
  EXPECT_EQ(Decision("xx", 1), "++!");
  EXPECT_EQ(Decision("xx-", 50), "++.!");
  EXPECT_EQ(Decision("xxX", 50), "+++!") << "the backups, too";
  EXPECT_EQ(Decision("fnnn", 100), "+...") << "new ones do not count as sick";
}

TEST(TiersTest, FitBackupsComeBeforeFailingOpen) {
  EXPECT_EQ(Decision("fxxF", 50), "+..+");
  EXPECT_EQ(Decision("xxFX", 50), "..+.");
}

TEST(TiersTest, WhoIsNotReadyNeverTakesSessions) { EXPECT_EQ(Decision("--", 100), ".."); }

TEST(TiersTest, AnyPoolMakesSense) {
  const std::string kinds = "fnxFNX-";
  for (uint64_t seed = 1; seed <= 20'000; ++seed) {
    Dice dice(seed);
    std::string letters;
    for (uint64_t left = dice.Below(7); left > 0; --left)
      letters += kinds[dice.Below(kinds.size())];
    const int64_t percent = dice.Chance(0.4) ? 0 : dice.Between(1, 100);
    const std::vector<Standing> standings = Standings(letters);
    const Tiers tiers = DecideTiers(standings, percent);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + letters + " " + std::to_string(percent));
    ASSERT_EQ(tiers.open.size(), standings.size());
    const auto any = [&](auto matches) {
      return std::any_of(standings.begin(), standings.end(), matches);
    };
    const bool any_fit =
        any([](const Standing& it) { return it.ready && it.fitness == Fitness::kFit; });
    const bool any_open = std::find(tiers.open.begin(), tiers.open.end(), true) != tiers.open.end();
    // Whoever is fit finds that somebody takes sessions; and with failing open, so does the sick.
    EXPECT_TRUE(any_open || !any_fit);
    EXPECT_FALSE(percent == 0 && tiers.fail_open);
    for (size_t i = 0; i < standings.size(); ++i) {
      const bool unfit = standings[i].fitness == Fitness::kUnfit;
      EXPECT_FALSE(tiers.open[i] && !standings[i].ready);
      EXPECT_FALSE(tiers.open[i] && unfit && !tiers.fail_open);
      if (standings[i].ready && !standings[i].backup && standings[i].fitness == Fitness::kFit) {
        EXPECT_TRUE(tiers.open[i]);
      }
    }
  }
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Sessions under random schedules and faults, over FakeEngine.  Every case is one seed; a failure
// prints it.  L4LB_FUZZ_CASES=N makes a long run of it, L4LB_FUZZ_SEED=N repeats one case.
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/proxy/session_world.h"

namespace l4lb {
namespace {

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

WorldLedger Live(SessionWorld& world) {
  world.Run();
  return world.Ledger();
}

bool SomethingIsWrong(const WorldOptions& options) {
  SessionWorld world(options);
  return !Check(Live(world)).empty();
}

// Returns for which reasons sessions ended.
std::set<CloseReason> ExpectNothingWrong(const WorldOptions& options) {
  SessionWorld world(options);
  const WorldLedger ledger = Live(world);
  std::set<CloseReason> reasons;
  for (const auto& [client, record] : ledger.records) reasons.insert(record.reason);
  const std::vector<std::string> wrong = Check(ledger);
  for (const std::string& what : wrong) ADD_FAILURE() << what;
  if (!wrong.empty()) {
    ADD_FAILURE() << "L4LB_FUZZ_SEED=" << options.seed << "\n" << Describe(ledger);
  }
  return reasons;
}

std::set<CloseReason> RunCases(WorldOptions options, uint64_t cases) {
  options.seed = Setting("L4LB_FUZZ_SEED", 0);
  if (options.seed != 0) return ExpectNothingWrong(options);
  if (std::getenv("L4LB_SANITIZED") != nullptr) cases /= 8;  // They take their time.
  cases = Setting("L4LB_FUZZ_CASES", cases);
  std::set<CloseReason> reasons;
  for (options.seed = 1; options.seed <= cases && !::testing::Test::HasFailure(); ++options.seed) {
    reasons.merge(ExpectNothingWrong(options));
  }
  return reasons;
}

TEST(SessionFuzzTest, NothingGoesWrong) { RunCases({.calm = true}, 50); }

TEST(SessionFuzzTest, EverythingGoesWrong) { RunCases({}, 200); }

TEST(SessionFuzzTest, EverythingGoesWrongAndControlInterferes) {
  const std::set<CloseReason> seen = RunCases({.controlled = true}, 200);
  if (Setting("L4LB_FUZZ_SEED", 0) != 0) return;
  for (const CloseReason reason :
       {CloseReason::max_age, CloseReason::rebalanced, CloseReason::drained,
        CloseReason::backend_down, CloseReason::admin_closed}) {
    EXPECT_TRUE(seen.contains(reason)) << Name(reason);
  }
}

// The checker is worth something only if it sees an engine that corrupts.
class SessionFuzzCanaryTest : public ::testing::TestWithParam<EngineFaults::Corruption> {};

TEST_P(SessionFuzzCanaryTest, CorruptionIsSeen) {
  constexpr uint64_t kSeeds = 10;
  int seen = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    seen += SomethingIsWrong({.seed = seed, .calm = true, .corruption = GetParam()});
  }
  // A world where nobody sends as much as the byte that is corrupted passes.
  EXPECT_GE(seen, 5);
}

INSTANTIATE_TEST_SUITE_P(Corruptions, SessionFuzzCanaryTest,
                         ::testing::Values(EngineFaults::Corruption::kDrop,
                                           EngineFaults::Corruption::kDuplicate,
                                           EngineFaults::Corruption::kFlip));

TEST(SessionFuzzResetCanaryTest, FinInsteadOfResetIsSeen) {
  constexpr uint64_t kSeeds = 40;
  int seen = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    seen += SomethingIsWrong({.seed = seed, .never_resets = true});
  }
  EXPECT_GE(seen, 5);
}

}  // namespace
}  // namespace l4lb

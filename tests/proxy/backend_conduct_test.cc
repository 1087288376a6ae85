// SPDX-License-Identifier: Apache-2.0
//
// What a session tells of its backend when it ends: an answer, or a reset before any.
#include <gtest/gtest.h>

#include <vector>

#include "tests/proxy/small_world.h"

namespace l4lb {
namespace {

struct World : SmallWorld {
  World() : SmallWorld({.backends = 1}) {
    backend(0)->pool().SetFailureSink([this](uint64_t id) { told.push_back(id); });
    backend(0)->pool().SetStreakRule({.limit = 2, .window_ms = 60'000});
  }
  void ResetBackend(Session& session) {
    session.backend->Reset();
    session.backend.reset();
    RunFor(1'000);
  }
  uint64_t early_resets() { return backend(0)->tally().early_resets; }

  std::vector<uint64_t> told;
};

TEST(BackendConductTest, AResetBeforeTheFirstByteCounts) {
  World world;
  world.ResetBackend(world.Connect());
  EXPECT_EQ(world.early_resets(), 1u);
  EXPECT_EQ(world.told, std::vector<uint64_t>{0});
  auto& second = world.Connect();
  second.client->Send("question");
  world.RunFor(10);
  world.ResetBackend(second);
  EXPECT_EQ(world.early_resets(), 2u);
  EXPECT_EQ(world.told, (std::vector<uint64_t>{0, world.backend(0)->id()})) << "two in a row";
}

TEST(BackendConductTest, AResetAfterTheFirstByteDoesNot) {
  World world;
  auto& session = world.Connect();
  session.backend->Send("banner");
  world.RunFor(10);
  world.ResetBackend(session);
  EXPECT_EQ(world.Closed(CloseReason::backend_reset), 1u);
  EXPECT_EQ(world.early_resets(), 0u);
}

TEST(BackendConductTest, NorDoesOneThatAnswersTheClientsReset) {
  World world;
  auto& session = world.Connect();
  session.client->Reset();
  session.client.reset();
  world.RunFor(1'000);
  EXPECT_EQ(world.Closed(CloseReason::client_reset), 1u);
  EXPECT_EQ(world.early_resets(), 0u);
}

TEST(BackendConductTest, NorDoesOneThatAnswersTheClientsEnd) {
  World world;
  auto& session = world.Connect();
  session.client->Finish();
  world.RunFor(10);
  world.ResetBackend(session);
  EXPECT_EQ(world.Closed(CloseReason::backend_reset), 1u);
  EXPECT_EQ(world.early_resets(), 0u);
}

TEST(BackendConductTest, NorDoesACleanEnd) {
  World world;
  auto& session = world.Connect();
  session.backend->Finish();
  world.RunFor(1'000);
  EXPECT_EQ(world.Closed(CloseReason::backend_fin), 1u);
  EXPECT_EQ(world.early_resets(), 0u);
}

TEST(BackendConductTest, AnAnswerEndsTheStreakWhenItsSessionEnds) {
  World world;
  world.ResetBackend(world.Connect());
  auto& good = world.Connect();
  good.backend->Send("answer");
  good.backend->Finish();
  world.RunFor(1'000);
  world.ResetBackend(world.Connect());
  EXPECT_EQ(world.early_resets(), 2u);
  EXPECT_EQ(world.told, std::vector<uint64_t>{0}) << "no streak";
}

TEST(BackendConductTest, OrWhenItHasLivedForAWhile) {
  World world;
  world.ResetBackend(world.Connect());
  auto& good = world.Connect();
  good.backend->Send("banner");
  world.RunFor(40'000);  // Some look of its timer.
  world.ResetBackend(world.Connect());
  EXPECT_EQ(good.ended_ms, -1);
  EXPECT_EQ(world.early_resets(), 2u);
  EXPECT_EQ(world.told, std::vector<uint64_t>{0}) << "no streak";
}

}  // namespace
}  // namespace l4lb

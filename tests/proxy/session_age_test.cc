// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "l4lb/proxy/max_age.h"
#include "tests/proxy/small_world.h"

namespace l4lb {
namespace {

constexpr AgeLimit kLimit = {
    .age_ms = 10'000, .jitter_percent = 0, .quiet_ms = 200, .grace_ms = 5'000};

/// A request and its answer, some ms apart.
void Exchange(SmallWorld& world, SmallWorld::Session& session) {
  session.client->Send("question");
  world.RunFor(2);
  session.backend->Receive();
  session.backend->Send("answer");
  world.RunFor(2);
}

TEST(OwnAgeTest, IdsInARowLieEvenly) {
  const AgeLimit limit = {.age_ms = 100'000, .jitter_percent = 10};
  std::array<int, 10> buckets{};
  for (uint64_t id = 1; id <= 1'000; ++id) {
    const int64_t age_ms = OwnAgeMs(limit, (uint64_t{3} << 48) + id);
    ASSERT_GE(age_ms, 90'000);
    ASSERT_LT(age_ms, 110'000);
    ++buckets[(age_ms - 90'000) / 2'000];
  }
  for (const int count : buckets) EXPECT_NEAR(count, 100, 3);
}

TEST(OwnAgeTest, WithoutJitterAllAreTheSame) {
  for (uint64_t id = 1; id <= 10; ++id) EXPECT_EQ(OwnAgeMs(kLimit, id), 10'000);
  EXPECT_EQ(OwnAgeMs({.age_ms = 1, .jitter_percent = 90}, 1), 1);
}

TEST(SessionAgeTest, AQuietSessionEndsAtItsAge) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  const int64_t start_ms = world.now_ms();
  Exchange(world, session);
  world.RunFor(9'900);
  EXPECT_EQ(session.ended_ms, -1);
  world.RunFor(200);
  EXPECT_NEAR(session.ended_ms, start_ms + 10'000, 5);
  EXPECT_EQ(session.end, Peer::End::kFin);
  EXPECT_EQ(session.got, "answer");
  world.RunFor(10);
  EXPECT_EQ(world.Closed(CloseReason::max_age), 1u);
}

TEST(SessionAgeTest, JitterSpreadsWhatBeganTogether) {
  SmallWorld world({.max_age = {.age_ms = 10'000, .jitter_percent = 10}});
  world.Connect(100);
  const int64_t start_ms = world.now_ms();
  world.RunFor(12'000);
  EXPECT_EQ(world.EndedBetween(start_ms + 8'900, start_ms + 11'100), 100);
  for (int64_t at_ms = 9'000; at_ms < 11'000; at_ms += 500) {
    EXPECT_NEAR(world.EndedBetween(start_ms + at_ms, start_ms + at_ms + 500), 25, 6) << at_ms;
  }
}

TEST(SessionAgeTest, WaitsForTheAnswer) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  world.RunFor(9'900);
  session.client->Send("question");
  world.RunFor(3'000);
  EXPECT_EQ(session.ended_ms, -1);
  session.backend->Send("answer");
  const int64_t answer_ms = world.now_ms();
  world.RunFor(1'000);
  EXPECT_GE(session.ended_ms, answer_ms + 200);
  EXPECT_LE(session.ended_ms, answer_ms + 450);
  EXPECT_EQ(session.got, "answer");
  EXPECT_EQ(session.end, Peer::End::kFin);
}

TEST(SessionAgeTest, AtTheEndOfTheGraceItEndsWhateverMoves) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  const int64_t start_ms = world.now_ms();
  for (int i = 0; i < 200 && session.client != nullptr; ++i) {
    session.backend->Send("tick");
    world.RunFor(100);
  }
  EXPECT_NEAR(session.ended_ms, start_ms + 15'000, 20);
}

TEST(SessionAgeTest, WhoNeverGetsAnAnswerEndsWithTheGrace) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  const int64_t start_ms = world.now_ms();
  session.client->Send("question");
  world.RunFor(14'900);
  EXPECT_EQ(session.ended_ms, -1);
  world.RunFor(200);
  EXPECT_NEAR(session.ended_ms, start_ms + 15'000, 20);
}

TEST(SessionAgeTest, AHalfClosedOneHasTheWholeGrace) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  const int64_t start_ms = world.now_ms();
  session.client->Finish();
  world.RunFor(10);
  session.backend->Send("half of the answer");
  world.RunFor(14'800);
  EXPECT_EQ(session.ended_ms, -1);
  world.RunFor(500);
  EXPECT_NEAR(session.ended_ms, start_ms + 15'000, 20);
  EXPECT_EQ(session.got, "half of the answer");
}

// Then nobody knows which was the last.
TEST(SessionAgeTest, BothInOneTurnNeedALongerSilence) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  world.RunFor(9'990);
  session.client->Send("question");
  session.backend->Send("answer");
  const int64_t moved_ms = world.now_ms();
  world.RunFor(2'000);
  EXPECT_NEAR(session.ended_ms, moved_ms + 1'000, 5);
}

class SlowReaderTest : public ::testing::TestWithParam<size_t> {};

TEST_P(SlowReaderTest, WaitsForAReaderThatPauses) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  world.RunFor(9'000);
  session.reads = false;
  std::string answer;
  for (int i = 0; i < 200 && answer.size() < GetParam(); ++i) {
    const std::string part(10'000, static_cast<char>('a' + i % 26));
    answer += part.substr(0, session.backend->Send(part));
    world.RunFor(1);
  }
  ASSERT_GE(answer.size(), GetParam());
  world.RunFor(4'000);
  session.reads = true;
  const int64_t read_ms = world.now_ms();
  world.RunFor(1);
  EXPECT_EQ(session.end, Peer::End::kOpen);
  world.RunFor(1'000);
  EXPECT_EQ(session.end, Peer::End::kFin);
  EXPECT_GE(session.ended_ms, read_ms + 200);
  EXPECT_EQ(session.got, answer);
}

// More than its receive buffer: the rest lies in our send queue; or more than both.
INSTANTIATE_TEST_SUITE_P(Sizes, SlowReaderTest,
                         ::testing::Values(FakeSocket::kDefaultBytes + 10'000,
                                           3 * FakeSocket::kDefaultBytes));

TEST(SessionAgeTest, AReloadChangesItForLiveSessions) {
  SmallWorld world({});
  SmallWorld::Session& session = world.Connect();
  world.RunFor(60'000);
  world.Adopt(kLimit);
  world.RunFor(300);
  EXPECT_EQ(session.end, Peer::End::kFin);

  world.Connect();
  world.RunFor(9'000);
  world.Adopt({});
  world.RunFor(60'000);
  EXPECT_EQ(world.sessions()[1].ended_ms, -1);
}

TEST(SessionAgeTest, SoDoesAnotherIdleTimeout) {
  SmallWorld world({});
  SmallWorld::Session& session = world.Connect();
  world.RunFor(3'000);
  world.ChangeIdleTimeout(5'000);
  world.RunFor(1'900);
  EXPECT_EQ(session.ended_ms, -1);
  world.RunFor(200);
  EXPECT_EQ(world.Closed(CloseReason::idle_timeout), 1u);
}

TEST(SessionAgeTest, WhatTheClientSendsIntoTheEndMeetsNoReset) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  session.polite = false;
  world.RunFor(10'100);
  ASSERT_EQ(session.end, Peer::End::kFin);
  EXPECT_EQ(world.counters().closed.Get(), 0u);
  session.client->Send("the next question");
  world.RunFor(100);
  EXPECT_EQ(session.client->end(), Peer::End::kFin);
  EXPECT_EQ(world.counters().client_bytes_taken.Get(), 17u);
  session.client->Finish();
  world.RunFor(10);
  EXPECT_EQ(world.counters().closed.Get(), 1u);
  EXPECT_EQ(world.counters().client_bytes_dropped.Get(), 17u);
}

// Though the backend has to be waited for.
TEST(SessionAgeTest, TheClientIsToldFirst) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  const int64_t start_ms = world.now_ms();
  session.polite = false;
  for (int i = 0; i < 100; ++i) {
    session.client->Send(std::string(10'000, 'x'));
    world.RunFor(1);
  }
  world.RunFor(start_ms + 15'100 - world.now_ms());
  EXPECT_EQ(session.end, Peer::End::kFin);
  EXPECT_NEAR(session.ended_ms, start_ms + 15'000, 10);
  session.backend->Receive();
  EXPECT_EQ(session.backend->end(), Peer::End::kOpen);
  world.RunFor(1'000);
  session.backend->Receive();
  EXPECT_EQ(session.backend->end(), Peer::End::kReset);  // It did not get everything.
}

TEST(SessionAgeTest, AClientThatStaysIsLeftAfterASecond) {
  SmallWorld world({.max_age = kLimit});
  SmallWorld::Session& session = world.Connect();
  session.polite = false;
  world.RunFor(10'100);
  const int64_t told_ms = session.ended_ms;
  world.RunFor(told_ms + 990 - world.now_ms());
  EXPECT_EQ(world.counters().closed.Get(), 0u);
  world.RunFor(50);
  EXPECT_EQ(world.counters().closed.Get(), 1u);
}

}  // namespace
}  // namespace l4lb

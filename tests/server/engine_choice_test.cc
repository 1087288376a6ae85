// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/engine_choice.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

absl::Status Allowed() { return absl::OkStatus(); }
absl::Status Forbidden() { return absl::PermissionDeniedError("the kernel says no"); }

absl::Status NotToBeAsked() {
  ADD_FAILURE() << "a ring was made for nothing";
  return absl::OkStatus();
}

TEST(EngineChoiceTest, EpollNeedsNothing) {
  for (const EngineKind preferred : {EngineKind::kEpoll, EngineKind::kUring}) {
    const auto choice = ChooseEngine(Config::Engine::kEpoll, preferred, NotToBeAsked);
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->kind, EngineKind::kEpoll);
    EXPECT_EQ(choice->why, "configured");
    EXPECT_EQ(choice->warning, "");
  }
}

TEST(EngineChoiceTest, AutoTakesWhatIsPreferred) {
  const auto epoll = ChooseEngine(Config::Engine::kAuto, EngineKind::kEpoll, NotToBeAsked);
  ASSERT_TRUE(epoll.ok());
  EXPECT_EQ(epoll->kind, EngineKind::kEpoll);
  EXPECT_EQ(epoll->why.substr(0, 4), "auto");
  EXPECT_EQ(epoll->warning, "");
  const auto uring = ChooseEngine(Config::Engine::kAuto, EngineKind::kUring, Allowed);
  ASSERT_TRUE(uring.ok());
  EXPECT_EQ(uring->kind, EngineKind::kUring);
  EXPECT_EQ(uring->why.substr(0, 4), "auto");
  EXPECT_EQ(uring->warning, "");
}

TEST(EngineChoiceTest, ConfiguredIsConfigured) {
  for (const EngineKind preferred : {EngineKind::kEpoll, EngineKind::kUring}) {
    const auto choice = ChooseEngine(Config::Engine::kUring, preferred, Allowed);
    ASSERT_TRUE(choice.ok());
    EXPECT_EQ(choice->kind, EngineKind::kUring);
    EXPECT_EQ(choice->why, "configured");
  }
}

TEST(EngineChoiceTest, WhatIsMissingIsSaidInTheSameWords) {
  const auto choice = ChooseEngine(Config::Engine::kAuto, EngineKind::kUring, Forbidden);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->kind, EngineKind::kEpoll);
  EXPECT_EQ(choice->why, "auto; no io_uring");
  const auto forced = ChooseEngine(Config::Engine::kUring, EngineKind::kUring, Forbidden);
  ASSERT_TRUE(absl::IsPermissionDenied(forced.status()));
  const std::string error(forced.status().message());
  EXPECT_EQ(error, "no engine io_uring: the kernel says no");
  EXPECT_EQ(choice->warning, error + "; epoll it is");
}

}  // namespace
}  // namespace l4lb

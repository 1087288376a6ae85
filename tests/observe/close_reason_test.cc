// SPDX-License-Identifier: Apache-2.0
//
// The names are a promise to everyone who reads the log or the metrics: they stand here literally.
#include "l4lb/observe/close_reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace l4lb {
namespace {

TEST(CloseReasonTest, NamesAreFrozen) {
  const std::vector<std::string> names = {
      "client_fin",   "backend_fin",    "client_reset",       "backend_reset", "client_lost",
      "backend_lost", "connect_failed", "connect_timeout",    "no_backend",    "no_port",
      "no_fd",        "idle_timeout",   "half_close_timeout", "shutdown",      "internal"};
  std::vector<std::string> listed;
  for (int i = 0; i < kCloseReasons; ++i) {
    listed.emplace_back(Name(static_cast<CloseReason>(i)));
  }
  EXPECT_EQ(listed, names);
}

TEST(CloseReasonTest, EveryReasonHasAMeaningOfItsOwn) {
  std::set<std::string_view> meanings;
  for (int i = 0; i < kCloseReasons; ++i) meanings.insert(Meaning(static_cast<CloseReason>(i)));
  EXPECT_EQ(meanings.size(), static_cast<size_t>(kCloseReasons));
  EXPECT_EQ(Meaning(CloseReason::shutdown), "this process stopped");
}

TEST(CloseReasonTest, Phases) {
  EXPECT_EQ(Name(Phase::connect), "connect");
  EXPECT_EQ(Name(Phase::data), "data");
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The names are a promise to everyone who reads the log or the metrics: they stand here literally.
#include "l4lb/observe/close_reason.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "l4lb/observe/limit.h"

namespace l4lb {
namespace {

TEST(CloseReasonTest, NamesAreFrozen) {
  const std::vector<std::string> names = {
      "client_fin",   "backend_fin",    "client_reset",    "backend_reset", "client_lost",
      "backend_lost", "connect_failed", "connect_timeout", "no_backend",    "no_port",
      "no_fd",        "queue_timeout",  "queue_full",      "idle_timeout",  "half_close_timeout",
      "max_age",      "rebalanced",     "drained",         "backend_down",  "admin_closed",
      "limit",        "shutdown",       "internal"};
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

TEST(LimitTest, KeysAreTheConfigurationsOwn) {
  EXPECT_STREQ(KeyOf(Limit::source_connections), "per_source.max_connections");
  EXPECT_STREQ(KeyOf(Limit::source_rate), "per_source.rate");
  EXPECT_STREQ(KeyOf(Limit::pool_connections), "pool.max_connections");
  EXPECT_STREQ(KeyOf(Limit::backend_connections), "backends.max_connections");
  EXPECT_STREQ(KeyOf(Limit::none), "");
}

TEST(CloseReasonTest, Phases) {
  EXPECT_EQ(Name(Phase::queue), "queue");
  EXPECT_EQ(Name(Phase::connect), "connect");
  EXPECT_EQ(Name(Phase::data), "data");
}

}  // namespace
}  // namespace l4lb

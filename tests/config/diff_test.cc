// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "l4lb/config/load.h"

namespace l4lb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Config Base() {
  const auto config = ParseConfig("base.yaml",
                                  "workers: 2\n"
                                  "listeners:\n"
                                  "  - {name: web, bind: \"127.0.0.1:0\", pool: a}\n"
                                  "  - {name: old, bind: \"127.0.0.1:0\", pool: b}\n"
                                  "pools:\n"
                                  "  - name: a\n"
                                  "    backends:\n"
                                  "      - {name: a1, address: \"10.0.0.1:80\"}\n"
                                  "      - {name: a2, address: \"10.0.0.2:80\"}\n"
                                  "  - {name: b, backends: [{address: \"10.0.0.3:80\"}]}\n");
  EXPECT_TRUE(config.ok()) << config.status();
  return *config;
}

TEST(DiffTest, NothingChanged) {
  const ConfigDiff diff = DiffConfigs(Base(), Base());
  EXPECT_THAT(diff.changes, IsEmpty());
  EXPECT_THAT(diff.ignored, IsEmpty());
}

TEST(DiffTest, TheOrderIsNoChange) {
  Config after = Base();
  std::swap(after.listeners[0], after.listeners[1]);
  std::swap(after.pools[0], after.pools[1]);
  std::swap(after.pools[1].backends[0], after.pools[1].backends[1]);
  EXPECT_THAT(DiffConfigs(Base(), after).changes, IsEmpty());
}

TEST(DiffTest, NamesWhatChanged) {
  Config after = Base();
  after.listeners[0].idle_timeout = absl::Minutes(5);
  after.pools[0].keepalive.idle = absl::Seconds(7);
  after.pools[0].backends[0].weight = 3;
  after.pools[0].backends[1].name = "a3";
  after.listeners.pop_back();
  after.pools.pop_back();
  EXPECT_THAT(
      DiffConfigs(Base(), after).changes,
      ElementsAre("listener web: idle_timeout 1h -> 5m", "listener old removed",
                  "pool a: keepalive.idle 30s -> 7s", "pool a: backend a1: weight 1 -> 3",
                  "pool a: backend a3 added", "pool a: backend a2 removed", "pool b removed"));
}

TEST(DiffTest, NamesWhatChangedOfHealth) {
  Config after = Base();
  Config::Pool& pool = after.pools[0];
  pool.fail_open.below = 50;
  pool.on_down = absl::ZeroDuration();
  pool.eject.rate = 20;
  pool.health_check = {.type = Config::CheckType::kSendExpect,
                       .interval = absl::Seconds(5),
                       .send = "AUTH secret\r\n",
                       .detector = {.type = Config::DetectorType::kPhi}};
  pool.backends[0].backup = true;
  EXPECT_THAT(
      DiffConfigs(Base(), after).changes,
      ElementsAre("pool a: fail_open.below 0 -> 0.5", "pool a: on_down keep -> close",
                  "pool a: eject.rate 50% -> 20%", "pool a: health_check.type none -> send_expect",
                  "pool a: health_check.interval 2s -> 5s", "pool a: health_check.send changed",
                  "pool a: health_check.detector.type count -> phi",
                  "pool a: backend a1: backup false -> true"));
}

TEST(DiffTest, WhatNeedsARestartIsNoChange) {
  Config after = Base();
  after.workers = 4;
  after.buffers.size = 32 << 10;
  const ConfigDiff diff = DiffConfigs(Base(), after);
  EXPECT_THAT(diff.changes, IsEmpty());
  EXPECT_THAT(diff.ignored, ElementsAre("workers 2 -> 4", "buffers.size 16KiB -> 32KiB"));
}

}  // namespace
}  // namespace l4lb

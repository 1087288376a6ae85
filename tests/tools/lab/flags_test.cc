// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace l4lb::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SimulateOptions Parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  const CommandLine line = ParseCommandLine(arguments);
  EXPECT_FALSE(line.ending.has_value()) << line.ending->text;
  return std::get<SimulateOptions>(line.options);
}

std::string Refused(const std::vector<std::string>& arguments) {
  const kit::Ending ending = ParseCommandLine(arguments).ending.value_or(kit::Ending{});
  EXPECT_EQ(ending.exit_status, 2);
  return ending.text;
}

TEST(FlagsTest, Defaults) {
  const SimulateOptions options = Parsed({});
  EXPECT_EQ(options.world.backends, 4);
  EXPECT_DOUBLE_EQ(options.world.utilisation, 0.7);
  EXPECT_DOUBLE_EQ(options.world.rate(), 700);
  EXPECT_EQ(options.world.duration_ms, 8'000);
  EXPECT_EQ(options.effort.seeds, 5);
  EXPECT_EQ(options.policies, kUsualPolicies);
}

TEST(FlagsTest, OtherFlagsChangeTheScene) {
  for (const auto& arguments : {std::vector<std::string>{"--balancers=2", "--scene=herd"},
                                std::vector<std::string>{"--scene", "herd", "--balancers=2"}}) {
    const SimulateOptions options = Parsed(arguments);
    EXPECT_EQ(options.scene, "herd");
    EXPECT_EQ(options.world.balancers, 2);
    EXPECT_EQ(options.world.slow, 1);
    EXPECT_DOUBLE_EQ(options.world.utilisation, 0.6);
    EXPECT_DOUBLE_EQ(options.world.rate(), 500);
    EXPECT_EQ(options.world.duration_ms, 20'000);
  }
}

TEST(FlagsTest, EveryPartOfTheWorld) {
  const SimulateOptions options =
      Parsed({"--backends=8",        "--utilisation=90", "--slow=2",
              "--factor=2.5",        "--mean=10ms",      "--service=pareto",
              "--shape=1.5",         "--balancers=3",    "--limit=16",
              "--queue_per=pool",    "--clients=7",      "--connections=100",
              "--requests_each=9",   "--joining=2",      "--join_at=3s",
              "--slow_start=1s",     "--duration=20s",   "--warmup=2s",
              "--policies=ring,p2c", "--seeds=2",        "--seed=7",
              "--threads=1",         "--json",           "--ascii"});
  const World& world = options.world;
  EXPECT_EQ(world.all_backends(), 10);
  EXPECT_EQ(world.slow, 2);
  EXPECT_DOUBLE_EQ(world.mean_ms_of(7), 25);
  EXPECT_DOUBLE_EQ(world.mean_ms_of(8), 10);
  EXPECT_EQ(world.service, Service::kPareto);
  EXPECT_EQ(world.queue_per, QueuePer::kPool);
  EXPECT_EQ(world.join_ms, 3'000);
  EXPECT_EQ(world.slow_start_ms, 1'000);
  EXPECT_EQ(world.duration_ms, 20'000);
  EXPECT_EQ(world.warmup_ms, 2'000);
  EXPECT_THAT(options.policies, ElementsAre(PolicyKind::kRing, PolicyKind::kP2c));
  EXPECT_EQ(options.effort.first_seed, 7u);
  EXPECT_TRUE(options.output.json && options.output.ascii);
  EXPECT_EQ(Parsed({"--policies=all"}).policies.size(), 6u);
}

TEST(FlagsTest, RunHasItsOwnDefaults) {
  const auto options = std::get<RunOptions>(ParseCommandLine({"run"}).options);
  EXPECT_EQ(options.scene, "slow");
  EXPECT_EQ(options.world.slow, 1);
  EXPECT_EQ(options.world.limit, 32);
  EXPECT_THAT(options.queue_pers, ElementsAre(QueuePer::kBackend, QueuePer::kPool));
  const auto herd =
      std::get<RunOptions>(ParseCommandLine({"run", "--scene=herd", "--queue_per=pool"}).options);
  EXPECT_EQ(herd.world.balancers, 16);
  EXPECT_THAT(herd.policies, ElementsAre(PolicyKind::kLeastConnections, PolicyKind::kP2c));
  EXPECT_THAT(herd.queue_pers, ElementsAre(QueuePer::kPool));
}

TEST(FlagsTest, RunIsOnOneMachine) {
  EXPECT_THAT(Refused({"run", "--backends=300"}), HasSubstr("at most 256"));
  EXPECT_THAT(Refused({"run", "--balancers=65"}), HasSubstr("at most 64"));
  EXPECT_THAT(Refused({"run", "--backends=200"}), HasSubstr("too many for one machine"));
  EXPECT_THAT(Refused({"run", "--scene=lasting"}), HasSubstr("none of equal, slow, herd"));
  EXPECT_THAT(Refused({"run", "--queue_per=all"}), HasSubstr("backend or pool"));
  EXPECT_THAT(Refused({"run", "--engine=poll"}), HasSubstr("--engine"));
}

TEST(FlagsTest, ServeIsForThisMachine) {
  const auto options = std::get<ServeOptions>(ParseCommandLine({"serve"}).options);
  EXPECT_EQ(options.listen.ToString(), "127.0.0.1:9910");
  EXPECT_THAT(Refused({"serve", "--listen=:80"}), HasSubstr("can be reached by others"));
  EXPECT_THAT(Refused({"serve", "--listen=here"}), HasSubstr("--listen"));
}

TEST(FlagsTest, RequestsAreATime) {
  EXPECT_EQ(Parsed({"--requests=7000"}).world.duration_ms, 10'001);
}

TEST(FlagsTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Refused({}), HasSubstr("subcommand is required"));
  EXPECT_THAT(Refused({"simulat"}), HasSubstr("did you mean \"simulate\"?"));
  EXPECT_THAT(Refused({"simulate", "--balancer=3"}), HasSubstr("did you mean \"--balancers\"?"));
  EXPECT_THAT(Refused({"simulate", "--scene=slo"}), HasSubstr("equal, slow, sliders, herd"));
  EXPECT_THAT(Refused({"simulate", "--policies=best"}), HasSubstr("'best' is none of all"));
  EXPECT_THAT(Refused({"simulate", "--service=normal"}), HasSubstr("'normal' is none of"));
  EXPECT_THAT(Refused({"simulate", "--slow=5"}), HasSubstr("at most 4"));
  EXPECT_THAT(Refused({"simulate", "--backends=10000", "--joining=1"}), HasSubstr("at most 10000"));
  EXPECT_THAT(Refused({"simulate", "--mean=0s"}), HasSubstr("at least 1ms"));
  EXPECT_THAT(Refused({"simulate", "--duration=0s"}), HasSubstr("at least 1ms"));
  EXPECT_THAT(Refused({"simulate", "--backends=10000", "--duration=1h"}), HasSubstr("too many"));
  EXPECT_THAT(Refused({"simulate", "--claims"}), HasSubstr("--scene=equal, slow or sliders"));
  EXPECT_THAT(Refused({"simulate", "--scene=herd", "--claims"}), HasSubstr("nothing is published"));
  EXPECT_THAT(Refused({"simulate", "--scene=sliders", "--utilisation=20", "--claims"}),
              HasSubstr("the scene as it is"));
  EXPECT_THAT(Refused({"simulate", "--utilisation=nan"}), HasSubstr("not a number from"));
  EXPECT_THAT(Refused({"simulate", "--mean=25h"}), HasSubstr("at most a day"));
  EXPECT_THAT(Refused({"simulate", "--join_at=9300000000s"}), HasSubstr("at most 100 days"));
  EXPECT_THAT(Refused({"run", "--scene=slow-database", "--policies=all"}), HasSubstr("one policy"));
  EXPECT_THAT(Refused({"run", "--scene=herd", "--balancers=1"}), HasSubstr("with several"));
}

TEST(FlagsTest, HelpNamesTheScenes) {
  const auto ending = ParseCommandLine({"simulate", "--help"}).ending;
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->exit_status, 0);
  EXPECT_THAT(ending->text, HasSubstr("add-server"));
}

}  // namespace
}  // namespace l4lb::lab

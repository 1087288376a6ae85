// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run over real TCP, in small.
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "l4lb/config/load.h"
#include "tools/lab/tcp_backends.h"
#include "tools/lab/tcp_balancer.h"
#include "tools/lab/tcp_clients.h"
#include "tools/lab/tcp_trial.h"
#include "tools/lab/workload.h"

namespace l4lb::lab {
namespace {

using testing::HasSubstr;

SocketAddress Parsed(const std::string& text) {
  SocketAddress address;
  std::string error;
  EXPECT_TRUE(SocketAddress::Parse(text, &address, &error)) << error;
  return address;
}

int64_t ArrivalsOf(const World& world, uint64_t seed) {
  Workload workload(world, seed);
  const int64_t end_ns = world.duration_ms * 1'000'000;
  int64_t count = 0;
  for (int64_t at_ns = workload.NextGapNs(); at_ns < end_ns; at_ns += workload.NextGapNs()) ++count;
  return count;
}

// Clients and backends, and nothing in between.
TEST(TcpPartsTest, EveryRequestIsServedInItsTime) {
  const World world = {.backends = 1, .utilisation = 0.5, .mean_ms = 2, .duration_ms = 400};
  auto backends = TcpBackends::Start(world);
  ASSERT_TRUE(backends.ok()) << backends.status();
  TcpClients clients(world, 1, {Parsed((*backends)->addresses()[0])});
  const std::atomic<bool> stop = false;
  const Seen seen = clients.Run(kit::NowNs(), stop);
  const Seen::Part whole = seen.Whole();
  EXPECT_EQ(whole.failed, 0) << seen.first_failure;
  EXPECT_EQ(static_cast<int64_t>(whole.latency_ns.count()), ArrivalsOf(world, 1));
  EXPECT_EQ(whole.requests, (std::vector<int64_t>{ArrivalsOf(world, 1)}));
  EXPECT_EQ((*backends)->Stop().count(), whole.latency_ns.count());
  // One at a time: it cannot take less than all that was asked for.
  Workload workload(world, 1);
  double cost_ms = 0;
  for (int64_t i = 0; i < whole.requests[0]; ++i) cost_ms += 2 * workload.NextCost();
  EXPECT_GE(whole.latency_ns.mean() / 1e6, 0.99 * cost_ms / static_cast<double>(whole.requests[0]));
}

TEST(TcpPartsTest, WhoIsNotServedHasFailed) {
  const World world = {.backends = 1, .duration_ms = 50};
  std::string address;
  {
    auto backends = TcpBackends::Start(world);
    ASSERT_TRUE(backends.ok()) << backends.status();
    address = (*backends)->addresses()[0];
  }
  TcpClients clients(world, 1, {Parsed(address)});
  const std::atomic<bool> stop = false;
  const Seen seen = clients.Run(kit::NowNs(), stop);
  EXPECT_EQ(seen.Whole().failed, ArrivalsOf(world, 1));
  EXPECT_EQ(seen.first_failure, "Connection refused");
}

TEST(TcpBalancerTest, EveryConfigurationIsRight) {
  const World world = {.slow = 1, .limit = 32};
  const std::vector<std::string> addresses = {"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3",
                                              "127.0.0.1:4"};
  for (const PolicyKind policy :
       {PolicyKind::kRoundRobin, PolicyKind::kRandom, PolicyKind::kLeastConnections,
        PolicyKind::kP2c, PolicyKind::kMaglev, PolicyKind::kRing}) {
    for (const Checks checks :
         {Checks::kNone, Checks::kBackend, Checks::kDatabase, Checks::kDatabaseFailOpen}) {
      const std::string text =
          TcpBalancer::ConfigText(world, {.policy = policy, .checks = checks}, addresses);
      const auto config = ParseConfig("lab", text);
      ASSERT_TRUE(config.ok()) << config.status();
      EXPECT_EQ(config->pools[0].backends.size(), 4u);
    }
  }
}

TEST(TcpTrialTest, ThroughTheRealBalancer) {
  for (const QueuePer queue_per : {QueuePer::kBackend, QueuePer::kPool}) {
    const World world = {.utilisation = 0.8,
                         .mean_ms = 2,
                         .balancers = 2,
                         .limit = 1,
                         .queue_per = queue_per,
                         .joining = 1,
                         .join_ms = 100,
                         .duration_ms = 300,
                         .warmup_ms = 100};
    const auto outcome = RunTrial({.world = world}, [] { return true; });
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    const Seen::Part whole = outcome->seen.Whole();
    EXPECT_EQ(whole.failed, 0) << outcome->seen.first_failure;
    EXPECT_GT(whole.latency_ns.count(), 300u);
    for (const int64_t requests : whole.requests) EXPECT_GT(requests, 0);
  }
}

TEST(TcpTrialTest, CanBeStopped) {
  const auto outcome = RunTrial({.world = {.duration_ms = 60'000}}, [] { return false; });
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// The server as a whole, in the process: what it says when it cannot start, what it decides, what
// its counters say, and that it stops.
#include "l4lb/server/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/socket_address.h"
#include "l4lb/net/unique_fd.h"
#include "nlohmann/json.hpp"
#include "tests/server/each_engine.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

Config OneListener(const std::string& bind, const std::string& backend) {
  Config config;
  config.listeners.push_back({.name = "front", .bind = {bind}, .pool = "back"});
  Config::Pool pool;
  pool.name = "back";
  pool.backends.push_back({.name = "one", .address = backend, .weight = 3});
  config.pools.push_back(pool);
  return config;
}

UniqueFd Dial(const std::string& address) {
  const SocketAddress peer = Parsed(address);
  UniqueFd fd(::socket(peer.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), peer.get(), peer.size()), 0);
  return fd;
}

bool Within(absl::Duration patience, const std::function<bool()>& holds) {
  const absl::Time deadline = absl::Now() + patience;
  while (!holds()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

TEST(ServerTest, APortInUseIsNamedAndNothingStays) {
  absl::StatusOr<UniqueFd> taken = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(taken.ok());
  const std::string address = LocalAddress(taken->get()).ToString();
  const auto server = Server::Start(OneListener(address, "127.0.0.1:1"));
  ASSERT_FALSE(server.ok());
  EXPECT_TRUE(absl::IsAlreadyExists(server.status())) << server.status();
  EXPECT_NE(server.status().message().find(address), std::string::npos) << server.status();
  EXPECT_NE(server.status().message().find("in use"), std::string::npos) << server.status();
}

TEST(ServerTest, AnAccessLogThatCannotBeOpenedIsNamed) {
  Config config = OneListener("127.0.0.1:0", "127.0.0.1:1");
  config.access_log.path = "/nonexistent/access.log";
  const auto server = Server::Start(config);
  ASSERT_FALSE(server.ok());
  EXPECT_NE(server.status().message().find("/nonexistent/access.log"), std::string::npos);
}

// Servers that move bytes.
class ServingTest : public ::testing::TestWithParam<Config::Engine> {
 protected:
  void SetUp() override { NeedEngine(GetParam()); }
  static Config OneListener(const std::string& bind, const std::string& backend) {
    Config config = l4lb::OneListener(bind, backend);
    config.engine = GetParam();
    return config;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, ServingTest, EveryEngine(),
                         [](const auto& param) { return EngineName(param.param); });

TEST(ServerTest, BannerSaysWhatWasDecided) {
  auto server = Server::Start(OneListener("127.0.0.1:0", "127.0.0.1:1"));
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string banner = (*server)->Banner();
  EXPECT_NE(banner.find(absl::StrCat("listening   ", (*server)->FirstAddress(),
                                     " -> pool back (least_connections): one*3\n")),
            std::string::npos)
      << banner;
  EXPECT_EQ((*server)->FirstAddress().find(":0"), std::string::npos) << "the real port";
}

TEST_P(ServingTest, BannerAndCountersSayTheEngine) {
  auto server = Server::Start(OneListener("127.0.0.1:0", "127.0.0.1:1"));
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string engine = EngineName(GetParam());
  EXPECT_NE((*server)->Banner().find("  engine " + engine + " (configured)  workers "),
            std::string::npos)
      << (*server)->Banner();
  EXPECT_EQ(nlohmann::json::parse((*server)->StatsJson())["engine"], engine);
}

TEST_P(ServingTest, ServesCountsAndStops) {
  absl::StatusOr<UniqueFd> backend = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(backend.ok());
  auto server = Server::Start(OneListener("127.0.0.1:0", LocalAddress(backend->get()).ToString()));
  ASSERT_TRUE(server.ok()) << server.status();

  UniqueFd client = Dial((*server)->FirstAddress());
  ASSERT_EQ(::send(client.get(), "hello", 5, 0), 5);
  UniqueFd session;
  ASSERT_TRUE(Within(absl::Seconds(10), [&] {
    session.Reset(::accept(backend->get(), nullptr, nullptr));
    return static_cast<bool>(session);
  }));
  char data[8];
  ASSERT_EQ(::recv(session.get(), data, sizeof data, 0), 5);

  const auto active = nlohmann::json::parse((*server)->StatsJson());
  EXPECT_EQ(active["listeners"]["front"]["active"], 1);
  EXPECT_EQ(active["listeners"]["front"]["client_bytes_delivered"], 5) << "counted while it lasts";
  EXPECT_EQ(active["pools"]["back"]["backends"]["one"]["active"], 1);

  (*server)->StopListening();
  EXPECT_FALSE((*server)->idle());
  client.Reset();
  session.Reset();
  ASSERT_TRUE(Within(absl::Seconds(10), [&] { return (*server)->idle(); }));
  const auto closed = nlohmann::json::parse((*server)->StatsJson());
  EXPECT_EQ(closed["listeners"]["front"]["closed"], 1);
  EXPECT_EQ(closed["listeners"]["front"]["closed_by_reason"]["client_fin"], 1);
  EXPECT_EQ(closed["pools"]["back"]["backends"]["one"]["active"], 0);
}

nlohmann::json Stats(Server& server) { return nlohmann::json::parse(server.StatsJson()); }

// However the kernel spreads them.
TEST_P(ServingTest, TwoSessionsOnTwoWorkersAreOneEach) {
  absl::StatusOr<UniqueFd> backend = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(backend.ok());
  Config config = OneListener("127.0.0.1:0", LocalAddress(backend->get()).ToString());
  config.workers = 2;
  for (int round = 0; round < 20; ++round) {
    auto server = Server::Start(config);
    ASSERT_TRUE(server.ok()) << server.status();
    const UniqueFd first = Dial((*server)->FirstAddress());
    const auto serving = [&](int sessions) {
      return Stats(**server)["pools"]["back"]["connects_established"] == sessions;
    };
    ASSERT_TRUE(Within(absl::Seconds(10), [&] { return serving(1); }));
    const UniqueFd second = Dial((*server)->FirstAddress());
    ASSERT_TRUE(Within(absl::Seconds(10), [&] { return serving(2); }));
    const auto workers = Stats(**server)["workers"];
    EXPECT_EQ(workers[0]["sessions"], 1);
    EXPECT_EQ(workers[1]["sessions"], 1);
    EXPECT_EQ(workers[0]["handed_over"], workers[1]["taken_over"]);
    EXPECT_EQ(workers[1]["handed_over"], workers[0]["taken_over"]);
  }
}

TEST(ServerTest, ABackendWithoutAnAddressIsNamed) {
  const auto server = Server::Start(OneListener("127.0.0.1:0", "no-such-host.invalid:80"));
  ASSERT_FALSE(server.ok());
  for (const char* part : {"backend one of pool back", "no-such-host.invalid"}) {
    EXPECT_NE(server.status().message().find(part), std::string::npos) << server.status();
  }
}

TEST_P(ServingTest, AUnixListenerServesOnAllWorkersAndLeavesNoFile) {
  const std::string path = absl::StrCat("/tmp/l4lb-server-test-", ::getpid());
  absl::StatusOr<UniqueFd> backend = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(backend.ok());
  Config config = OneListener("unix:" + path, LocalAddress(backend->get()).ToString());
  config.workers = 2;
  auto server = Server::Start(config);
  ASSERT_TRUE(server.ok()) << server.status();
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(Dial("unix:" + path));
  ASSERT_TRUE(Within(absl::Seconds(10), [&] {
    return Stats(**server)["pools"]["back"]["connects_established"] == 10;
  }));
  const auto workers = Stats(**server)["workers"];
  EXPECT_GE(workers[0]["sessions"], 4);
  EXPECT_GE(workers[1]["sessions"], 4);
  server->reset();
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
}

TEST_P(ServingTest, DestructionClosesSessionsThatAreLeft) {
  absl::StatusOr<UniqueFd> backend = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(backend.ok());
  auto server = Server::Start(OneListener("127.0.0.1:0", LocalAddress(backend->get()).ToString()));
  ASSERT_TRUE(server.ok()) << server.status();
  UniqueFd client = Dial((*server)->FirstAddress());
  server->reset();
  char byte;
  EXPECT_LE(::recv(client.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace l4lb

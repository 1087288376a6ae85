// SPDX-License-Identifier: Apache-2.0
//
// Many clients at once, from several threads, on few places, over several workers: no limit is
// ever exceeded as the backends see it, everybody is served, and all that is counted adds up.
// What ThreadSanitizer is to look at.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/net/listen.h"
#include "l4lb/net/unique_fd.h"
#include "l4lb/server/server.h"
#include "nlohmann/json.hpp"
#include "tests/server/each_engine.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

// Answers one byte with one byte, one thread for each connection, and knows how many it ever had.
class CountingBackend {
 public:
  CountingBackend() {
    absl::StatusOr<UniqueFd> socket = Listen(Parsed("127.0.0.1:0"), {});
    EXPECT_TRUE(socket.ok());
    socket_ = *std::move(socket);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~CountingBackend() {
    stopping_ = true;
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
  }
  std::string address() const { return LocalAddress(socket_.get()).ToString(); }
  int peak() const { return peak_; }
  int served() const { return served_; }

 private:
  void Accept() {
    while (!stopping_) {
      pollfd ready = {socket_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      UniqueFd session(::accept(socket_.get(), nullptr, nullptr));
      if (!session) continue;
      const int open = ++open_;
      if (open > peak_) peak_ = open;
      threads_.emplace_back([this, session = std::move(session)] { Serve(session.get()); });
    }
  }
  void Serve(int fd) {
    char byte;
    if (::recv(fd, &byte, 1, 0) == 1) {
      absl::SleepFor(absl::Milliseconds(2));
      ++served_;
      --open_;  // Before the client can know, and thus before its place is given to another.
      ::send(fd, &byte, 1, MSG_NOSIGNAL);
      EXPECT_EQ(::recv(fd, &byte, 1, 0), 0);
    } else {
      --open_;
    }
  }

  UniqueFd socket_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> open_{0};
  std::atomic<int> served_{0};
  std::atomic<int> peak_{0};  // Written by the acceptor only.
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

bool AskOne(const std::string& address) {
  const SocketAddress peer = Parsed(address);
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), peer.get(), peer.size()) != 0) return false;
  char byte = '?';
  return ::send(fd.get(), &byte, 1, MSG_NOSIGNAL) == 1 && ::recv(fd.get(), &byte, 1, 0) == 1;
}

using Case = std::tuple<Config::QueuePer, Config::Engine>;

class QueueStressTest : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { NeedEngine(std::get<Config::Engine>(GetParam())); }
};

TEST_P(QueueStressTest, NoLimitIsExceededAndAllAreServed) {
  constexpr int kThreads = 16;
  constexpr int kEach = 12;
  constexpr int kLimit = 2;
  std::vector<std::unique_ptr<CountingBackend>> backends;
  Config config;
  config.workers = 3;
  config.engine = std::get<Config::Engine>(GetParam());
  config.listeners.push_back({.name = "front", .bind = {"127.0.0.1:0"}, .pool = "back"});
  Config::Pool& pool = config.pools.emplace_back();
  pool.name = "back";
  pool.max_connections = 5;
  pool.queue.timeout = absl::Seconds(60);
  pool.queue.per = std::get<Config::QueuePer>(GetParam());
  for (int i = 0; i < 3; ++i) {
    backends.push_back(std::make_unique<CountingBackend>());
    pool.backends.push_back({.name = absl::StrCat("b", i),
                             .address = backends.back()->address(),
                             .max_connections = kLimit});
  }
  auto server = Server::Start(config);
  ASSERT_TRUE(server.ok()) << server.status();

  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int thread = 0; thread < kThreads; ++thread) {
    clients.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) answered += AskOne((*server)->FirstAddress()) ? 1 : 0;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, kThreads * kEach);

  (*server)->StopListening();
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (!(*server)->idle() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(5));
  ASSERT_TRUE((*server)->idle());
  const auto stats = nlohmann::json::parse((*server)->StatsJson());
  const auto& counted = stats["pools"]["back"];
  EXPECT_GT(counted["queued"], 0);
  EXPECT_EQ(counted["waiting"], 0);
  EXPECT_EQ(counted["connects_established"], kThreads * kEach);
  int served = 0;
  for (const auto& backend : backends) {
    EXPECT_LE(backend->peak(), kLimit);
    served += backend->served();
  }
  EXPECT_EQ(served, kThreads * kEach);
  for (const auto& backend : counted["backends"]) EXPECT_EQ(backend["active"], 0);
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  const auto [per, engine] = info.param;
  return (per == Config::QueuePer::kPool ? "pool_" : "backend_") + EngineName(engine);
}

INSTANTIATE_TEST_SUITE_P(Engines, QueueStressTest,
                         ::testing::Combine(::testing::Values(Config::QueuePer::kPool,
                                                              Config::QueuePer::kBackend),
                                            EveryEngine()),
                         CaseName);

}  // namespace
}  // namespace l4lb

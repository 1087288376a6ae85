// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <map>
#include <thread>

#include "absl/strings/match.h"
#include "l4lb/net/listen.h"
#include "tests/net/plain_sockets.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

using Sockets = std::vector<UniqueFd>;

Sockets MustListenOnEach(const SocketAddress& address, int count,
                         const ListenOptions& options = {}) {
  absl::StatusOr<Sockets> sockets = ListenOnEach(address, options, count);
  EXPECT_TRUE(sockets.ok()) << sockets.status();
  return sockets.ok() ? *std::move(sockets) : Sockets();
}

/// How many of `connections` new ones each socket gets, all accepted.
std::vector<int> Spread(const Sockets& sockets, const SocketAddress& address, int connections) {
  std::vector<UniqueFd> clients;
  for (int i = 0; i < connections; ++i) {
    clients.push_back(Connected(address));
    EXPECT_TRUE(clients.back());
  }
  std::vector<int> counts;
  for (const UniqueFd& socket : sockets) {
    int& count = counts.emplace_back();
    while (UniqueFd(accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC))) ++count;
  }
  return counts;
}

TEST(ListenOnEachTest, ConnectionsAreSpreadOverAllSockets) {
  for (const char* text : {"127.0.0.1:0", "[::1]:0", ":0", "0.0.0.0:0"}) {
    const Sockets sockets = MustListenOnEach(Parsed(text), 4);
    ASSERT_EQ(sockets.size(), 4u);
    SocketAddress address = LocalAddress(sockets[0].get());
    for (const UniqueFd& socket : sockets) {
      EXPECT_EQ(LocalAddress(socket.get()), address) << text;
      EXPECT_EQ(Option(socket.get(), SOL_SOCKET, SO_REUSEPORT), 1) << text;
    }
    if (address.is_any()) {  // Dual stack as well, for `:0`.
      address = Parsed("127.0.0.1:0");
      address.set_port(LocalAddress(sockets[0].get()).port());
    }
    const std::vector<int> counts = Spread(sockets, address, 200);
    int sum = 0;
    for (const int count : counts) {
      EXPECT_GT(count, 10) << text << ": the chance of this is below 1 in 10^12";
      sum += count;
    }
    EXPECT_EQ(sum, 200) << text;
  }
}

TEST(ListenOnEachTest, TheOthersGoOnWhenTheFirstIsClosed) {
  Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 3);
  ASSERT_EQ(sockets.size(), 3u);
  sockets.erase(sockets.begin());
  const std::vector<int> counts = Spread(sockets, LocalAddress(sockets[0].get()), 100);
  EXPECT_GT(counts[0], 5);
  EXPECT_EQ(counts[0] + counts[1], 100);
}

TEST(ListenOnEachTest, OneAloneDoesNotShare) {
  const Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 1);
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(Option(sockets[0].get(), SOL_SOCKET, SO_REUSEPORT), 0);
}

TEST(ListenOnEachTest, EveryOneHasTheOptions) {
  ListenOptions options;
  options.keepalive = {.idle_s = 33};
  for (const UniqueFd& socket : MustListenOnEach(Parsed("127.0.0.1:0"), 2, options)) {
    EXPECT_EQ(Option(socket.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(Option(socket.get(), SOL_SOCKET, SO_REUSEADDR), 1);
    EXPECT_EQ(Option(socket.get(), SOL_SOCKET, SO_ACCEPTCONN), 1);
  }
}

TEST(ListenOnEachTest, ASecondOfTheSameUserIsRefused) {
  const Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 2);
  const SocketAddress address = LocalAddress(sockets[0].get());
  for (const int count : {1, 2}) {
    const absl::Status status = ListenOnEach(address, {}, count).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
    EXPECT_EQ(std::string(status.message()), "cannot listen on " + address.ToString() +
                                                 ": address already in use by this process");
  }
}

// Would a plain SO_REUSEPORT bind be refused as well, the test above would say nothing.
TEST(ListenOnEachTest, TheKernelAloneWouldNotRefuseIt) {
  const Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 2);
  const SocketAddress address = LocalAddress(sockets[0].get());
  const UniqueFd thief(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ASSERT_EQ(setsockopt(thief.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
  EXPECT_EQ(bind(thief.get(), address.get(), address.size()), 0);
}

TEST(ListenOnEachTest, APlainSocketIsInTheWay) {
  const absl::StatusOr<UniqueFd> plain = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(ListenOnEach(LocalAddress(plain->get()), {}, 2).status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(ListenOnEachTest, NamesAnotherProcess) {
  Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 2);
  const SocketAddress address = LocalAddress(sockets[0].get());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    while (true) pause();
  }
  ASSERT_GT(child, 0);
  sockets.clear();
  const absl::Status status = ListenOnEach(address, {}, 2).status();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(
      absl::EndsWith(status.message(), "in use by net_test (pid " + std::to_string(child) + ")"))
      << status;
}

// The moment between the first socket and the others is no gap.
TEST(ListenOnEachTest, OfManyAtOnceAtMostOneGetsTheAddress) {
  constexpr int kRivals = 6;
  int won_rounds = 0;
  for (int round = 0; round < 150; ++round) {
    Sockets free_port = MustListenOnEach(Parsed("127.0.0.1:0"), 1);
    const SocketAddress address = LocalAddress(free_port[0].get());
    free_port.clear();
    std::atomic<int> winners = 0;
    std::barrier together(kRivals);
    std::vector<std::thread> rivals;
    for (int i = 0; i < kRivals; ++i) {
      rivals.emplace_back([&] {
        together.arrive_and_wait();
        const absl::StatusOr<Sockets> sockets = ListenOnEach(address, {}, 2);
        if (sockets.ok()) ++winners;
        together.arrive_and_wait();  // Nobody lets go before all have tried.
      });
    }
    for (std::thread& rival : rivals) rival.join();
    ASSERT_LE(winners, 1) << "round " << round;
    won_rounds += winners;
  }
  EXPECT_GT(won_rounds, 0);
}

// The side that closes first keeps its port in TIME_WAIT.
TEST(ListenOnEachTest, OldConnectionsAreNotInTheWay) {
  for (const bool closed : {true, false}) {
    Sockets sockets = MustListenOnEach(Parsed("127.0.0.1:0"), 2);
    const SocketAddress address = LocalAddress(sockets[0].get());
    std::vector<UniqueFd> clients;
    std::vector<UniqueFd> accepted;
    for (int i = 0; i < 20; ++i) clients.push_back(Connected(address));
    for (const UniqueFd& socket : sockets) {
      while (UniqueFd fd{accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC)}) {
        accepted.push_back(std::move(fd));
      }
    }
    ASSERT_EQ(accepted.size(), 20u);
    sockets.clear();
    if (closed) accepted.clear();
    if (closed) clients.clear();
    EXPECT_EQ(MustListenOnEach(address, 2).size(), 2u) << (closed ? "TIME_WAIT" : "established");
  }
}

TEST(ListenOnEachTest, AUnixAddressGetsOneSocket) {
  const TemporaryFolder folder;
  const SocketAddress address = Parsed("unix:" + folder.File("s"));
  const Sockets sockets = MustListenOnEach(address, 4);
  EXPECT_EQ(sockets.size(), 1u);
  EXPECT_TRUE(Connected(address));
  EXPECT_EQ(ListenOnEach(address, {}, 4).status().code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace l4lb

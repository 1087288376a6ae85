// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/listen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <fstream>

#include "tests/net/plain_sockets.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

UniqueFd MustListen(const SocketAddress& address, const ListenOptions& options = {}) {
  absl::StatusOr<UniqueFd> fd = Listen(address, options);
  EXPECT_TRUE(fd.ok()) << fd.status();
  return fd.ok() ? *std::move(fd) : UniqueFd();
}

TEST(ListenTest, GivesANonBlockingListenerOnARealPort) {
  const UniqueFd fd = MustListen(Parsed("127.0.0.1:0"));
  const SocketAddress address = LocalAddress(fd.get());
  EXPECT_EQ(address.family(), AF_INET);
  EXPECT_NE(address.port(), 0);
  EXPECT_TRUE(fcntl(fd.get(), F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(fcntl(fd.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_REUSEADDR), 1);
  EXPECT_TRUE(Connected(address));
}

TEST(ListenTest, AcceptedSocketsInheritTheOptions) {
  ListenOptions options;
  options.keepalive = {.idle_s = 33, .interval_s = 11, .count = 4};
  const UniqueFd listener = MustListen(Parsed("127.0.0.1:0"), options);
  const UniqueFd client = Connected(LocalAddress(listener.get()));
  const UniqueFd fd = Accepted(listener.get());
  EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_OOBINLINE), 1);
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_KEEPIDLE), 33);
  EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_KEEPINTVL), 11);
  EXPECT_EQ(Option(fd.get(), IPPROTO_TCP, TCP_KEEPCNT), 4);
}

TEST(ListenTest, DualStackTakesIpv4) {
  const UniqueFd fd = MustListen(Parsed(":0"));
  SocketAddress v4 = Parsed("127.0.0.1:0");
  v4.set_port(LocalAddress(fd.get()).port());
  EXPECT_TRUE(Connected(v4));
}

TEST(ListenTest, WithoutDualStackIpv4IsFree) {
  ListenOptions options;
  options.dual_stack = false;
  const UniqueFd fd = MustListen(Parsed(":0"), options);
  EXPECT_EQ(Option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY), 1);
  SocketAddress v6 = Parsed("[::1]:0");
  v6.set_port(LocalAddress(fd.get()).port());
  EXPECT_TRUE(Connected(v6));
}

TEST(ListenTest, SaysWhoHoldsThePort) {
  const UniqueFd fd = MustListen(Parsed("127.0.0.1:0"));
  const SocketAddress address = LocalAddress(fd.get());
  const absl::Status status = Listen(address, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(std::string(status.message()),
            "cannot listen on " + address.ToString() + ": address already in use by this process");
}

TEST(ListenTest, SaysThatNoInterfaceHasTheAddress) {
  const absl::Status status = Listen(Parsed("192.0.2.77:0"), {}).status();
  EXPECT_EQ(std::string(status.message()),
            "cannot listen on 192.0.2.77:0: cannot assign requested address: no interface of this "
            "machine has it");
}

// Needs a user without CAP_NET_BIND_SERVICE: the child becomes one.
TEST(ListenTest, SaysWhatPortsBelow1024Need) {
  std::ifstream file("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  int first_free = 0;
  if (!(file >> first_free) || first_free <= 1) GTEST_SKIP() << "every user may bind every port";
  EXPECT_EXIT(
      {
        if (geteuid() == 0 && setuid(65534) != 0) exit(3);
        std::fputs(std::string(Listen(Parsed("127.0.0.1:1"), {}).status().message()).c_str(),
                   stderr);
        exit(0);
      },
      testing::ExitedWithCode(0),
      "cannot listen on 127.0.0.1:1: permission denied: ports below 1024 need "
      "CAP_NET_BIND_SERVICE .setcap cap_net_bind_service.ep l4lb.");
}

TEST(ListenTest, UnixSocket) {
  const TemporaryFolder folder;
  const SocketAddress address = Parsed("unix:" + folder.File("s"));
  const UniqueFd fd = MustListen(address);
  EXPECT_EQ(LocalAddress(fd.get()), address);
  EXPECT_TRUE(Connected(address));
  EXPECT_EQ(Listen(address, {}).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(ListenTest, UnixSocketOfADeadProcessIsReplaced) {
  const TemporaryFolder folder;
  const SocketAddress address = Parsed("unix:" + folder.File("s"));
  MustListen(address).Reset();
  const UniqueFd fd = MustListen(address);
  EXPECT_TRUE(Connected(address));
}

TEST(ListenTest, AnotherFileIsNeverReplaced) {
  const TemporaryFolder folder;
  std::ofstream(folder.File("s")) << "precious";
  const absl::Status status = Listen(Parsed("unix:" + folder.File("s")), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_NE(status.message().find("in use by a file that is not a socket"),
            absl::string_view::npos);
  std::string text;
  std::ifstream(folder.File("s")) >> text;
  EXPECT_EQ(text, "precious");
}

TEST(ListenTest, UnixSocketNeedsItsDirectory) {
  EXPECT_EQ(std::string(Listen(Parsed("unix:/nosuchfolder/s"), {}).status().message()),
            "cannot listen on unix:/nosuchfolder/s: no such file or directory: the directory of a "
            "UNIX socket must exist");
}

TEST(SetKeepaliveTest, CanBeOff) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(SetKeepalive(fd.get(), {.idle_s = 5}), 0);
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 1);
  ASSERT_EQ(SetKeepalive(fd.get(), {}), 0);
  EXPECT_EQ(Option(fd.get(), SOL_SOCKET, SO_KEEPALIVE), 0);
  EXPECT_EQ(SetKeepalive(-1, {}), EBADF);
}

TEST(InEphemeralRangeTest, AgreesWithTheKernel) {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0;
  int last = 0;
  ASSERT_TRUE(file >> first >> last);
  EXPECT_TRUE(InEphemeralRange(static_cast<uint16_t>(first)));
  EXPECT_TRUE(InEphemeralRange(static_cast<uint16_t>(last)));
  EXPECT_EQ(InEphemeralRange(80), first <= 80);
  EXPECT_EQ(InEphemeralRange(65535), last >= 65535);
}

TEST(IsSelfConnectedTest, TellsSelfFromOthers) {
  const UniqueFd listener = MustListen(Parsed("127.0.0.1:0"));
  const UniqueFd client = Connected(LocalAddress(listener.get()));
  EXPECT_FALSE(IsSelfConnected(client.get()));
  EXPECT_FALSE(IsSelfConnected(listener.get()));
  EXPECT_FALSE(IsSelfConnected(-1));

  const UniqueFd self(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress loopback = Parsed("127.0.0.1:0");
  ASSERT_EQ(bind(self.get(), loopback.get(), loopback.size()), 0);
  const SocketAddress own = LocalAddress(self.get());
  ASSERT_EQ(connect(self.get(), own.get(), own.size()), 0);
  EXPECT_TRUE(IsSelfConnected(self.get()));
}

TEST(IsSelfConnectedTest, UnixPairIsNotSelf) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  const UniqueFd a(fds[0]);
  const UniqueFd b(fds[1]);
  EXPECT_FALSE(IsSelfConnected(a.get()));
}

TEST(RaiseOpenFileLimitTest, SoftBecomesHard) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  EXPECT_EQ(RaiseOpenFileLimit(), static_cast<int64_t>(before.rlim_max));
  rlimit after;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace l4lb

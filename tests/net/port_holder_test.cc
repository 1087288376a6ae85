// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/port_holder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "l4lb/net/listen.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

TEST(PortHolderTest, FindsThisProcess) {
  for (const char* text : {"127.0.0.1:0", "[::1]:0", ":0"}) {
    absl::StatusOr<UniqueFd> fd = Listen(Parsed(text), {});
    ASSERT_TRUE(fd.ok()) << fd.status();
    EXPECT_EQ(PortHolder(LocalAddress(fd->get())), "this process") << text;
  }
}

TEST(PortHolderTest, WildcardsStandInTheWay) {
  absl::StatusOr<UniqueFd> fd = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(fd.ok()) << fd.status();
  SocketAddress any = Parsed(":0");
  any.set_port(LocalAddress(fd->get()).port());
  EXPECT_EQ(PortHolder(any), "this process");
  SocketAddress other = Parsed("127.0.0.2:0");
  other.set_port(any.port());
  EXPECT_EQ(PortHolder(other), "");
}

// A child that inherits the listener and sleeps until it is killed.
TEST(PortHolderTest, FindsAnotherProcessByNameAndPid) {
  absl::StatusOr<UniqueFd> fd = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(fd.ok()) << fd.status();
  const SocketAddress address = LocalAddress(fd->get());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    while (true) pause();
  }
  ASSERT_GT(child, 0);
  fd->Reset();
  const std::string holder = PortHolder(address);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(holder, "net_test (pid " + std::to_string(child) + ")");
}

TEST(PortHolderTest, KnowsNothingOfUnixSocketsAndFreePorts) {
  EXPECT_EQ(PortHolder(Parsed("unix:/run/x")), "");
  absl::StatusOr<UniqueFd> fd = Listen(Parsed("127.0.0.1:0"), {});
  ASSERT_TRUE(fd.ok()) << fd.status();
  const SocketAddress address = LocalAddress(fd->get());
  fd->Reset();
  EXPECT_EQ(PortHolder(address), "");
}

}  // namespace
}  // namespace l4lb

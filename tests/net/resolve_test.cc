// SPDX-License-Identifier: Apache-2.0
//
// No name is asked for that needs a network: where one would, the test has a namespace of its own,
// in which there is none.
#include "l4lb/net/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "absl/strings/match.h"
#include "l4lb/net/unique_fd.h"
#include "tests/support/addresses.h"

namespace l4lb {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Texts(const std::vector<SocketAddress>& addresses) {
  std::vector<std::string> texts;
  for (const SocketAddress& address : addresses) texts.push_back(address.ToString());
  return texts;
}

std::vector<std::string> Resolved(std::string_view text) {
  const absl::StatusOr<std::vector<SocketAddress>> addresses = Resolve(text);
  EXPECT_TRUE(addresses.ok()) << addresses.status();
  return addresses.ok() ? Texts(*addresses) : std::vector<std::string>();
}

/// A child's network that has nothing but 127.0.0.1, and, without `loopback_up`, not even that.
/// Exit status 77 when it cannot be had.
void EnterLonelyNetwork(bool loopback_up) {
  const int flags = CLONE_NEWNET | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
  if (unshare(flags) != 0) _exit(77);
  if (!loopback_up) return;
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback = {};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(fd.get(), SIOCSIFFLAGS, &loopback) != 0) _exit(77);
}

/// What `action` says, run in such a network; "skip" when there is none to be had.
std::string InLonelyNetwork(bool loopback_up, const std::function<std::string()>& action) {
  std::string said;
  int fds[2];
  EXPECT_EQ(pipe(fds), 0);
  const pid_t child = fork();
  if (child == 0) {
    EnterLonelyNetwork(loopback_up);
    const std::string text = action();
    _exit(write(fds[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 1);
  }
  close(fds[1]);
  char part[4096];
  for (ssize_t count; (count = read(fds[0], part, sizeof(part))) > 0;) said.append(part, count);
  close(fds[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return "skip";
  EXPECT_EQ(status, 0);
  return said;
}

TEST(ResolveTest, WhatIsNoNameIsItsOwnResult) {
  EXPECT_THAT(Resolved("10.0.0.1:80"), ElementsAre("10.0.0.1:80"));
  EXPECT_THAT(Resolved("[2001:db8::1]:80"), ElementsAre("[2001:db8::1]:80"));
  EXPECT_THAT(Resolved("unix:/run/db.sock"), ElementsAre("unix:/run/db.sock"));
}

TEST(ResolveTest, LocalhostIsThisMachine) {
  const std::vector<std::string> texts = Resolved("localhost:6379");
  EXPECT_THAT(texts, Contains("127.0.0.1:6379"));
  EXPECT_EQ(texts[0], "127.0.0.1:6379") << "IPv4 first";
  EXPECT_EQ(Resolved("localhost:6379"), texts);
}

TEST(ResolveTest, WhatIsWrittenWrongIsSaidAsInTheConfiguration) {
  const absl::Status status = Resolve("256.0.0.1:80").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "'256.0.0.1' is not an IPv4 address");
}

TEST(ResolveTest, UnknownNames) {
  const std::string said =
      InLonelyNetwork(true, [] { return Resolve("nosuchhost.invalid:80").status().ToString(); });
  if (said == "skip") GTEST_SKIP() << "no network namespace of its own to be had";
  EXPECT_THAT(said, HasSubstr(": cannot resolve nosuchhost.invalid: "));
  EXPECT_TRUE(absl::StartsWith(said, "UNAVAILABLE: ") || absl::StartsWith(said, "NOT_FOUND: "))
      << said;
}

TEST(ReachableInOrderTest, SortedByValueAndEachOnce) {
  EXPECT_THAT(Texts(ReachableInOrder({Parsed("127.0.0.10:80"), Parsed("127.0.0.9:80"),
                                      Parsed("127.0.0.10:80"), Parsed("127.0.0.9:80")})),
              ElementsAre("127.0.0.9:80", "127.0.0.10:80"));
  EXPECT_TRUE(ReachableInOrder({}).empty());
}

TEST(ReachableInOrderTest, WithoutARouteOnlyWhenThereIsNoOther) {
  const auto said = [](const std::vector<SocketAddress>& addresses) {
    return InLonelyNetwork(true, [&addresses] {
      std::string text;
      for (const std::string& one : Texts(ReachableInOrder(addresses))) text += one + " ";
      return text;
    });
  };
  const SocketAddress here = Parsed("127.0.0.1:80");
  const SocketAddress far = Parsed("192.0.2.1:80");
  const SocketAddress far_v6 = Parsed("[2001:db8::1]:80");
  if (said({here}) == "skip") GTEST_SKIP() << "no network namespace of its own to be had";
  EXPECT_EQ(said({far_v6, far, here}), "127.0.0.1:80 ");
  EXPECT_EQ(said({far_v6, far}), "192.0.2.1:80 [2001:db8::1]:80 ");
}

TEST(ReachableInOrderTest, WithoutAnyNetworkNothingIsLeftOut) {
  const std::string said = InLonelyNetwork(false, [] {
    const absl::StatusOr<std::vector<SocketAddress>> addresses = Resolve("localhost:80");
    return addresses.ok() ? (*addresses)[0].ToString() : addresses.status().ToString();
  });
  if (said == "skip") GTEST_SKIP() << "no network namespace of its own to be had";
  EXPECT_EQ(said, "127.0.0.1:80");
}

}  // namespace
}  // namespace l4lb

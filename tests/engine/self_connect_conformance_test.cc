// SPDX-License-Identifier: Apache-2.0
//
// A connection to a free port of this machine may meet itself when the kernel picks that very port
// as the local one.  In a network namespace with only one ephemeral port it always does.
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "l4lb/net/unique_fd.h"
#include "tests/engine/conformance.h"

namespace l4lb {
namespace {

constexpr int kNoNamespace = 77;
constexpr const char* kPort = "40000";  // Ephemeral also in the parent, whose range may be cached.

bool EnterOwnNetwork() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  ::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP;
  if (::ioctl(fd.get(), SIOCSIFFLAGS, &loopback) != 0) return false;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  range << kPort << " " << kPort << std::flush;
  return range.good();
}

class SelfConnectTest : public EngineTest {
 protected:
  // In a process of its own.  Its exit status.
  int Child() {
    if (!EnterOwnNetwork()) return kNoNamespace;
    MakeRigOfChild();
    SocketAddress address;
    std::string error;
    SocketAddress::Parse(std::string("127.0.0.1:") + kPort, &address, &error);
    TrackedConnect& connect = NewConnect(address);
    Start(connect);
    if (!RunUntilEnded(connect) || connect.error != ECONNREFUSED) return 1;
    // It must not stand in the way of the real backend.
    const UniqueFd backend(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(backend.get(), address.get(), address.size()) != 0) return 2;
    if (::listen(backend.get(), 1) != 0) return 3;
    return HasFailure() ? 4 : 0;
  }
};

TEST_P(SelfConnectTest, CountsAsRefused) {
  if (!far_ends().real()) GTEST_SKIP() << "nobody meets himself in memory";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(Child());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoNamespace) GTEST_SKIP() << "no namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

L4LB_FOR_EVERY_ENGINE(SelfConnectTest);

}  // namespace
}  // namespace l4lb

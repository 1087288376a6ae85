// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/dial.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

struct Listening {
  UniqueFd fd;
  SocketAddress address;
};

Listening Listen() {
  Listening listening{.fd = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listening.fd.get(), any, size), 0);
  EXPECT_EQ(listen(listening.fd.get(), 8), 0);
  EXPECT_EQ(getsockname(listening.fd.get(), any, &size), 0);
  listening.address = SocketAddress(any, size);
  return listening;
}

TEST(LoopbackAddresses, SkipTheEndsOfEachNet) {
  const auto addresses = LoopbackAddresses(251);
  ASSERT_EQ(addresses.size(), 251u);
  EXPECT_EQ(addresses[0].ToString(), "127.0.0.1:0");
  EXPECT_EQ(addresses[249].ToString(), "127.0.0.250:0");
  EXPECT_EQ(addresses[250].ToString(), "127.0.1.1:0");
}

TEST(Dial, ConnectsFromTheSource) {
  const Listening listening = Listen();
  const SocketAddress source = LoopbackAddresses(7).back();
  UniqueFd fd;
  ASSERT_EQ(Dial(listening.address, &source, &fd), 0);
  sockaddr_in peer = {};
  socklen_t size = sizeof(peer);
  const UniqueFd accepted(accept(listening.fd.get(), reinterpret_cast<sockaddr*>(&peer), &size));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(ntohl(peer.sin_addr.s_addr), INADDR_LOOPBACK + 6);
}

TEST(Dial, SaysWhatIsWrong) {
  SocketAddress nowhere;
  std::string error;
  ASSERT_TRUE(SocketAddress::Parse("unix:/no/such/socket", &nowhere, &error)) << error;
  UniqueFd fd;
  EXPECT_EQ(Dial(nowhere, nullptr, &fd), ENOENT);
  EXPECT_FALSE(fd);
}

}  // namespace
}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/ip_endpoint.h"

#include <gtest/gtest.h>

#include "tests/support/addresses.h"

namespace l4lb {
namespace {

static_assert(sizeof(IpEndpoint) == 20);

TEST(IpEndpointTest, KeepsIpv4Mapped) {
  const IpEndpoint endpoint(Parsed("192.0.2.1:4711"));
  const std::array<uint8_t, 16> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1};
  EXPECT_EQ(endpoint.ip, mapped);
  EXPECT_EQ(endpoint.port, 4711);
  EXPECT_FALSE(endpoint.empty);
  EXPECT_EQ(endpoint.ToString(), "192.0.2.1:4711");
}

TEST(IpEndpointTest, KeepsIpv6) {
  const IpEndpoint endpoint(Parsed("[2001:db8::1]:80"));
  EXPECT_EQ(endpoint.ip[0], 0x20);
  EXPECT_EQ(endpoint.ip[15], 1);
  EXPECT_EQ(endpoint.ToString(), "[2001:db8::1]:80");
}

TEST(IpEndpointTest, Ipv4ClientOfADualStackListenerIsIpv4) {
  sockaddr_in6 mapped = {};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = htons(99);
  mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
  mapped.sin6_addr.s6_addr[12] = 127;
  mapped.sin6_addr.s6_addr[15] = 1;
  const SocketAddress address(reinterpret_cast<const sockaddr*>(&mapped), sizeof(mapped));
  EXPECT_EQ(IpEndpoint(address).ToString(), "127.0.0.1:99");
  EXPECT_EQ(IpEndpoint(address).ip, IpEndpoint(Parsed("127.0.0.1:99")).ip);
}

TEST(IpEndpointTest, AnythingElseIsEmpty) {
  EXPECT_TRUE(IpEndpoint().empty);
  EXPECT_TRUE(IpEndpoint(SocketAddress()).empty);
  const IpEndpoint local(Parsed("unix:/run/x.sock"));
  EXPECT_TRUE(local.empty);
  EXPECT_EQ(local.port, 0);
  EXPECT_EQ(local.ToString(), "unix");
}

}  // namespace
}  // namespace l4lb

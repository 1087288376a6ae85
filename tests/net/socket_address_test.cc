// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/socket_address.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/support/addresses.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20240607;

// The sentence, or "accepted".
std::string ErrorOf(std::string_view text) {
  SocketAddress address;
  std::string error;
  if (SocketAddress::Parse(text, &address, &error)) return "accepted";
  EXPECT_EQ(address.family(), AF_UNSPEC) << "written to in spite of the error: " << text;
  return error;
}

TEST(SocketAddressTest, WritesWhatItReads) {
  for (const char* text : {"1.2.3.4:80", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:80", "[::]:1",
                           "[2001:db8::ff00:42:8329]:443", "unix:/run/l4lb.sock", "unix:/"}) {
    EXPECT_EQ(Parsed(text).ToString(), text);
  }
}

TEST(SocketAddressTest, PortAloneMeansAllAddresses) {
  const SocketAddress address = Parsed(":5432");
  EXPECT_EQ(address.family(), AF_INET6);
  EXPECT_TRUE(address.is_any());
  EXPECT_EQ(address.port(), 5432);
  EXPECT_EQ(address, Parsed("[::]:5432"));
}

TEST(SocketAddressTest, KnowsTheWildcards) {
  EXPECT_TRUE(Parsed("0.0.0.0:80").is_any());
  EXPECT_FALSE(Parsed("127.0.0.1:80").is_any());
  EXPECT_FALSE(Parsed("[::1]:80").is_any());
  EXPECT_FALSE(Parsed("unix:/a").is_any());
  EXPECT_FALSE(SocketAddress().is_any());
}

TEST(SocketAddressTest, MappedIpv4IsIpv4) {
  EXPECT_EQ(Parsed("[::ffff:1.2.3.4]:80"), Parsed("1.2.3.4:80"));
}

TEST(SocketAddressTest, LinkLocalKeepsItsInterface) {
  const SocketAddress address = Parsed("[fe80::1%lo]:80");
  EXPECT_NE(address, Parsed("[fe80::1]:80"));
  EXPECT_EQ(Parsed(address.ToString()), address);
  EXPECT_EQ(ErrorOf("[fe80::1%nosuch0]:80"), "no network interface 'nosuch0'");
  EXPECT_EQ(ErrorOf("[fe80::1%]:80"), "no network interface ''");
}

TEST(SocketAddressTest, SaysWhatWouldBeRight) {
  EXPECT_EQ(ErrorOf(""), "an address is host:port, [v6]:port, :port or unix:/path");
  EXPECT_EQ(ErrorOf("::1:9001"), "an IPv6 address needs brackets: write [::1]:9001");
  EXPECT_EQ(ErrorOf("::1"), "an IPv6 address needs brackets and a port: write [::1]:PORT");
  EXPECT_EQ(ErrorOf("1.2.3.4"), "the port is missing: write 1.2.3.4:PORT");
  EXPECT_EQ(ErrorOf("9001"), "a port alone is written :9001");
  EXPECT_EQ(ErrorOf("1.2.3.4:"), "the port is missing after ':'");
  EXPECT_EQ(ErrorOf("*:80"), "'*' is not an address: write :80 for all addresses");
  EXPECT_EQ(ErrorOf("localhost:80"),
            "host names are not resolved: write a numeric address instead of 'localhost'");
  EXPECT_EQ(ErrorOf("[::1]"), "an IPv6 address is written [address]:port");
  EXPECT_EQ(ErrorOf("[1.2.3.4]:80"), "'1.2.3.4' is not an IPv6 address");
  EXPECT_EQ(ErrorOf("1:2:3"),
            "too many colons: an address is host:port, [v6]:port, :port or "
            "unix:/path");
}

TEST(SocketAddressTest, RefusesEveryOtherPort) {
  EXPECT_EQ(ErrorOf(":65536"), "port 65536 is out of range, 0 to 65535");
  EXPECT_EQ(ErrorOf("1.2.3.4:99999999999999999999"),
            "port 99999999999999999999 is out of range, 0 to 65535");
  EXPECT_EQ(ErrorOf("1.2.3.4:9001x"), "port '9001x' is not a number from 0 to 65535");
  EXPECT_EQ(ErrorOf("1.2.3.4:080"), "port '080' has a leading zero");
  for (const char* port : {"-1", "+1", " 80", "80 ", "0x50", "80\n", "8_0", "00"}) {
    EXPECT_NE(ErrorOf(std::string("1.2.3.4:") + port), "accepted") << port;
    EXPECT_NE(ErrorOf(std::string("[::1]:") + port), "accepted") << port;
    EXPECT_NE(ErrorOf(std::string(":") + port), "accepted") << port;
  }
}

TEST(SocketAddressTest, RefusesEveryOtherHost) {
  for (const char* text :
       {"1.2.3:80",      "1.2.3.4.5:80",     "256.1.1.1:80",  "01.2.3.4:80",
        "1.2.3.4 :80",   " 1.2.3.4:80",      "0x7f000001:80", "2130706433:80",
        "1.2.3.4:80:80", "[::1:80",          "[::1]80",       "[::1]x:80",
        "[:::1]:80",     "[12345::]:80",     "[]:80",         "[::1 ]:80",
        "[[::1]]:80",    "tcp://1.2.3.4:80", "UNIX:/a",       "1.2.3.4,5.6.7.8:80"}) {
    EXPECT_NE(ErrorOf(text), "accepted") << text;
  }
  EXPECT_NE(ErrorOf(std::string_view("1.2.3.4\0:80", 11)), "accepted");
  EXPECT_NE(ErrorOf(std::string_view("[::1\0]:80", 9)), "accepted");
}

TEST(SocketAddressTest, UnixPathHasALimit) {
  const std::string longest = "unix:/" + std::string(106, 'x');
  EXPECT_EQ(Parsed(longest).ToString(), longest);
  EXPECT_EQ(ErrorOf(longest + "x"),
            "the path of a UNIX socket has at most 107 bytes, this one 108");
  EXPECT_EQ(ErrorOf("unix:"), "a UNIX socket needs an absolute path: unix:/path");
  EXPECT_EQ(ErrorOf("unix:run/x"), "a UNIX socket needs an absolute path: unix:/path");
  EXPECT_EQ(ErrorOf(std::string_view("unix:/a\0b", 9)),
            "the path of a UNIX socket must not contain a NUL byte");
}

TEST(SocketAddressTest, HostsWithoutPort) {
  SocketAddress address;
  std::string error;
  for (const char* text : {"1.2.3.4", "0.0.0.0", "::1", "::", "2001:db8::42"}) {
    ASSERT_TRUE(SocketAddress::ParseHost(text, &address, &error)) << text << error;
    EXPECT_EQ(address.port(), 0);
    const std::string host = address.family() == AF_INET ? text : "[" + std::string(text) + "]";
    EXPECT_EQ(address, Parsed(host + ":0"));
  }
  ASSERT_TRUE(SocketAddress::ParseHost("::ffff:1.2.3.4", &address, &error));
  EXPECT_EQ(address, Parsed("1.2.3.4:0"));
  ASSERT_TRUE(SocketAddress::ParseHost("fe80::1%lo", &address, &error));
  EXPECT_EQ(address, Parsed("[fe80::1%lo]:0"));
}

TEST(SocketAddressTest, HostsWithoutPortSayWhatWouldBeRight) {
  const auto error_of = [](std::string_view text) {
    SocketAddress address;
    std::string error;
    EXPECT_FALSE(SocketAddress::ParseHost(text, &address, &error)) << text;
    EXPECT_EQ(address.family(), AF_UNSPEC) << text;
    return error;
  };
  EXPECT_EQ(error_of("1.2.3.4:80"), "'1.2.3.4:80' has a port: write the address alone");
  EXPECT_EQ(error_of("[::1]:80"), "'[::1]:80' has a port: write the address alone");
  EXPECT_EQ(error_of("[::1]"), "an address without a port has no brackets: write ::1");
  EXPECT_EQ(error_of("fe80::1%nosuch0"), "no network interface 'nosuch0'");
  for (const char* text : {"", "1.2.3", "01.2.3.4", "db1", "unix:/a", "eth0", "1.2.3.4/24", ":80",
                           "::1 ", "[]", "[", "12345::"}) {
    EXPECT_FALSE(error_of(text).empty()) << text;
  }
  EXPECT_EQ(error_of("db1"), "'db1' is not a numeric address such as 10.0.0.1 or 2001:db8::1");
  EXPECT_FALSE(error_of(std::string_view("1.2.3.4\0", 8)).empty());
  EXPECT_FALSE(error_of(std::string_view("::1\0", 4)).empty());
}

TEST(SocketAddressTest, UnixAddressesOfTheKernel) {
  sockaddr_un local = {};
  local.sun_family = AF_UNIX;
  const auto* any = reinterpret_cast<const sockaddr*>(&local);
  EXPECT_EQ(SocketAddress(any, sizeof(sa_family_t)).ToString(), "unix");
  local.sun_path[1] = 'q';  // The abstract name "q".
  EXPECT_EQ(SocketAddress(any, offsetof(sockaddr_un, sun_path) + 2).ToString(), "unix:@q");
}

TEST(SocketAddressTest, ComparesByValue) {
  EXPECT_EQ(SocketAddress(), SocketAddress());
  EXPECT_NE(SocketAddress(), Parsed("1.2.3.4:80"));
  EXPECT_NE(Parsed("1.2.3.4:80"), Parsed("1.2.3.4:81"));
  EXPECT_NE(Parsed("1.2.3.4:80"), Parsed("1.2.3.5:80"));
  EXPECT_NE(Parsed("[::]:80"), Parsed("0.0.0.0:80"));
  EXPECT_EQ(Parsed("[0:0:0:0:0:0:0:1]:80"), Parsed("[::1]:80"));
  EXPECT_EQ(Parsed("unix:/a"), Parsed("unix:/a"));
  EXPECT_NE(Parsed("unix:/a"), Parsed("unix:/ab"));
}

TEST(SocketAddressTest, PortCanBeSet) {
  SocketAddress address = Parsed("[::1]:0");
  address.set_port(4711);
  EXPECT_EQ(address, Parsed("[::1]:4711"));
  address = Parsed("unix:/a");
  address.set_port(1);
  EXPECT_EQ(address.port(), 0);
  EXPECT_EQ(SocketAddress().ToString(), "-");
}

SocketAddress RandomAddress(Dice& dice) {
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = static_cast<in_port_t>(dice.Below(65536));
  // Zeros in runs, so that "::" falls everywhere.
  for (uint8_t& byte : v6.sin6_addr.s6_addr) {
    byte = dice.Chance(0.6) ? 0 : static_cast<uint8_t>(dice.Below(256));
  }
  if (dice.Chance(0.6)) return SocketAddress(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port;
  v4.sin_addr.s_addr = static_cast<in_addr_t>(dice.Below(uint64_t{1} << 32));
  return SocketAddress(reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
}

TEST(SocketAddressTest, RandomRoundTrips) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  for (int i = 0; i < 20'000; ++i) {
    const SocketAddress address = RandomAddress(dice);
    ASSERT_EQ(Parsed(address.ToString()), address) << address.ToString();
  }
}

// Whatever is accepted is written in a form that is accepted and means the same.
TEST(SocketAddressTest, RandomEditsOfGoodTexts) {
  Dice dice(kSeed + 1);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const std::vector<std::string> seeds = {"1.2.3.4:80", "[2001:db8::1]:443", ":9001",
                                          "unix:/run/x"};
  const std::string alphabet = "0123456789abcdef.:[]%/ux \n";
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = seeds[dice.Below(seeds.size())];
    for (uint64_t edits = dice.Below(4); edits > 0; --edits) {
      const size_t at = dice.Below(text.size() + 1);
      if (dice.Chance(0.4) && at < text.size()) text.erase(at, 1);
      if (dice.Chance(0.6)) text.insert(std::min(at, text.size()), 1, alphabet[dice.Below(26)]);
    }
    SocketAddress address;
    std::string error;
    if (!SocketAddress::Parse(text, &address, &error)) {
      ASSERT_FALSE(error.empty()) << text;
      continue;
    }
    ++accepted;
    ASSERT_EQ(Parsed(address.ToString()), address) << text;
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace l4lb

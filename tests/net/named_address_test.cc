// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/named_address.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/addresses.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr uint64_t kSeed = 20250311;

// The sentence, or "accepted".
std::string ErrorOf(std::string_view text) {
  NamedAddress named;
  std::string error;
  if (NamedAddress::Parse(text, &named, &error)) return "accepted";
  EXPECT_TRUE(named.host.empty() && named.port() == 0) << "written to in spite of the error";
  return error;
}

NamedAddress MustParse(std::string_view text) {
  NamedAddress named;
  std::string error;
  EXPECT_TRUE(NamedAddress::Parse(text, &named, &error)) << text << ": " << error;
  return named;
}

TEST(NamedAddressTest, NumericAndUnixAddressesStayWhatTheyAre) {
  for (const char* text : {"1.2.3.4:80", "[::1]:80", ":80", "unix:/run/db.sock", "1.2.3.4:0"}) {
    const NamedAddress named = MustParse(text);
    EXPECT_EQ(named.host, "") << text;
    EXPECT_EQ(named.address, Parsed(text));
    EXPECT_EQ(named.port(), Parsed(text).port());
  }
}

TEST(NamedAddressTest, HostNames) {
  const std::string longest = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                              std::string(63, 'c') + "." + std::string(61, 'd');
  for (const std::string& host :
       {std::string("db1.example"), std::string("localhost"), std::string("DB-1.example."),
        std::string("1a"), std::string("3com.example"), std::string("10.0.0.1a"),
        std::string("xn--bcker-gra.example"), std::string("0x.example"), std::string("a"),
        longest}) {
    const NamedAddress named = MustParse(host + ":5432");
    EXPECT_EQ(named.host, host);
    EXPECT_EQ(named.port(), 5432);
    EXPECT_EQ(named.address.family(), AF_UNSPEC);
  }
  EXPECT_EQ(MustParse("localhost:0").port(), 0);
}

TEST(NamedAddressTest, WhatEndsInANumberIsAWrongAddress) {
  for (const std::string host : {"256.0.0.1", "1.2.3", "127.1", "2130706433", "0x7f000001",
                                 "0X7F.1", "127.0.0.0.1", "db.1", "1.2.3.4.", "0x", "a.0x1f"}) {
    EXPECT_EQ(ErrorOf(host + ":80"), "'" + host + "' is not an IPv4 address");
  }
}

TEST(NamedAddressTest, SaysWhatIsWrongWithAName) {
  EXPECT_EQ(ErrorOf("my_db:80"),
            "host name 'my_db' has '_', but only letters, digits, '-' and '.' may be");
  EXPECT_EQ(ErrorOf("a..b:80"), "host name 'a..b' has a dot too many");
  EXPECT_EQ(ErrorOf(".a:80"), "host name '.a' has a dot too many");
  EXPECT_EQ(ErrorOf(".:80"), "host name '.' has a dot too many");
  EXPECT_EQ(ErrorOf("a..:80"), "host name 'a..' has a dot too many");
  EXPECT_EQ(ErrorOf("-a.b:80"), "host name '-a.b' has a '-' at the beginning or end of a part");
  EXPECT_EQ(ErrorOf("a.b-:80"), "host name 'a.b-' has a '-' at the beginning or end of a part");
  EXPECT_EQ(ErrorOf("b\u00e4r:80"),
            "host name 'b\u00e4r' has characters beyond ASCII: write its xn-- form");
  const std::string label(64, 'a');
  EXPECT_EQ(ErrorOf(label + ":80"),
            "host name '" + label + "' has a part of 64 bytes; at most 63 may be");
  std::string name;
  for (int i = 0; i < 127; ++i) name += "a.";
  EXPECT_EQ(ErrorOf(name + "b:80"), "a host name has at most 253 bytes, this one 255");
}

TEST(NamedAddressTest, SaysWhatIsWrongWithTheRest) {
  EXPECT_EQ(ErrorOf("db1.example"), "the port is missing: write db1.example:PORT");
  EXPECT_EQ(ErrorOf("db1.example:"), "the port is missing after ':'");
  EXPECT_EQ(ErrorOf("db1.example:65536"), "port 65536 is out of range, 0 to 65535");
  EXPECT_EQ(ErrorOf("db1.example:http"), "port 'http' is not a number from 0 to 65535");
  EXPECT_EQ(ErrorOf("::1:80"), "an IPv6 address needs brackets: write [::1]:80");
  EXPECT_EQ(ErrorOf("[db1]:80"), "'db1' is not an IPv6 address");
  EXPECT_EQ(ErrorOf("*:80"), "'*' is not an address: write :80 for all addresses");
  EXPECT_EQ(ErrorOf("unix:run/x"), "a UNIX socket needs an absolute path: unix:/path");
  for (const char* text : {"", "tcp://db:80", " db:80", "db :80", "db:80 ", "a,b:80", "a/b:80",
                           "user@db:80", "a%b:80", "(:80"}) {
    EXPECT_NE(ErrorOf(text), "accepted") << text;
  }
  EXPECT_NE(ErrorOf(std::string_view("db\0x:80", 7)), "accepted");
}

// What is accepted has a name that fits into a DNS query, and is its own name again.
TEST(NamedAddressTest, RandomEditsOfGoodTexts) {
  Dice dice(kSeed);
  SCOPED_TRACE(testing::Message() << "seed " << dice.seed());
  const std::vector<std::string> seeds = {"db1.example:5432", "localhost:80", "10.0.0.1:80",
                                          "a-b.c-d:1"};
  const std::string alphabet = "0123456789abcxX.-:[]%_/ \n";
  int named_ones = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = seeds[dice.Below(seeds.size())];
    for (uint64_t edits = dice.Below(5); edits > 0; --edits) {
      const size_t at = dice.Below(text.size() + 1);
      if (dice.Chance(0.4) && at < text.size()) text.erase(at, 1);
      if (dice.Chance(0.6)) {
        text.insert(std::min(at, text.size()), 1, alphabet[dice.Below(alphabet.size())]);
      }
    }
    NamedAddress named;
    std::string error;
    if (!NamedAddress::Parse(text, &named, &error)) {
      ASSERT_FALSE(error.empty()) << text;
      continue;
    }
    if (named.host.empty()) continue;
    ++named_ones;
    ASSERT_EQ(named.host.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzX.-"),
              std::string::npos)
        << text;
    ASSERT_EQ(named.host.find(".."), std::string::npos) << text;
    ASSERT_EQ(named.host + ":" + std::to_string(named.port()), text);
  }
  EXPECT_GT(named_ones, 5'000);
}

}  // namespace
}  // namespace l4lb

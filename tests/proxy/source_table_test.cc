// SPDX-License-Identifier: Apache-2.0
#include "l4lb/proxy/source_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/addresses.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

IpEndpoint Client(const std::string& text) { return IpEndpoint(Parsed(text)); }

TEST(SourceTableTest, CountsPerAddressWhateverThePort) {
  SourceTable table(2, 0);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:1"), 0), Limit::none);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:2"), 0), Limit::none);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:3"), 0), Limit::source_connections);
  EXPECT_EQ(table.Enter(Client("10.0.0.2:1"), 0), Limit::none);
  table.Leave(Client("10.0.0.1:1"));
  EXPECT_EQ(table.Enter(Client("10.0.0.1:4"), 0), Limit::none);
}

TEST(SourceTableTest, Ipv6CountsByItsSlash64AndIpv4MappedAsIpv4) {
  SourceTable table(1, 0);
  EXPECT_EQ(table.Enter(Client("[2001:db8:0:1::1]:1"), 0), Limit::none);
  EXPECT_EQ(table.Enter(Client("[2001:db8:0:1:ffff::2]:1"), 0), Limit::source_connections);
  EXPECT_EQ(table.Enter(Client("[2001:db8:0:2::1]:1"), 0), Limit::none);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:1"), 0), Limit::none);
  EXPECT_EQ(table.Enter(Client("[::ffff:10.0.0.1]:1"), 0), Limit::source_connections);
  EXPECT_EQ(table.Enter(Client("[::ffff:10.0.0.2]:1"), 0), Limit::none);
}

TEST(SourceTableTest, ARatePerAddress) {
  SourceTable table(0, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(table.Enter(Client("10.0.0.1:1"), 5'000), Limit::none);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:1"), 5'000), Limit::source_rate);
  EXPECT_EQ(table.Enter(Client("10.0.0.2:1"), 5'000), Limit::none);
  EXPECT_EQ(table.Enter(Client("10.0.0.1:1"), 5'334), Limit::none);
}

TEST(SourceTableTest, UnixClientsAndNoLimitsAreNotCounted) {
  SourceTable table(1, 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(table.Enter(IpEndpoint(), 0), Limit::none);
  table.Leave(IpEndpoint());
  SourceTable unlimited(0, 0);
  EXPECT_EQ(unlimited.Enter(Client("10.0.0.1:1"), 0), Limit::none);
  unlimited.Leave(Client("10.0.0.1:1"));
  EXPECT_EQ(table.size() + unlimited.size(), 0u);
}

TEST(SourceTableTest, NothingIsLeftOfWhoHasLeft) {
  SourceTable table(5, 0);
  for (int i = 0; i < 1000; ++i) {
    const IpEndpoint client = Client(absl::StrCat("10.0.", i / 250, ".", i % 250, ":1"));
    table.Enter(client, 0);
    EXPECT_EQ(table.size(), 1u);
    table.Leave(client);
  }
  EXPECT_EQ(table.size(), 0u);
}

// A flood of addresses, each of which comes once: memory is bounded, who is open stays counted.
TEST(SourceTableTest, MemoryIsBounded) {
  SourceTable table(1, 1);
  const IpEndpoint stays = Client("[2001:db9::1]:1");
  ASSERT_EQ(table.Enter(stays, 0), Limit::none);
  for (uint32_t i = 0; i < 4 * SourceTable::kMostIdle; ++i) {
    IpEndpoint client = Client("[2001:db8::1]:1");
    for (int byte = 0; byte < 4; ++byte) client.ip[4 + byte] = static_cast<uint8_t>(i >> 8 * byte);
    ASSERT_EQ(table.Enter(client, 0), Limit::none);
    table.Leave(client);
  }
  EXPECT_LE(table.size(), SourceTable::kMostIdle + 128);
  EXPECT_EQ(table.Enter(stays, 0), Limit::source_connections);
}

// Against a plain model, from one thread; and from several, that nothing is left over.
TEST(SourceTableTest, EqualsAModel) {
  Dice dice(7);
  SourceTable table(3, 0);
  std::map<int, int> open;
  for (int step = 0; step < 20'000; ++step) {
    const int source = static_cast<int>(dice.Below(20));
    const IpEndpoint client = Client(absl::StrCat("10.0.0.", source, ":1"));
    if (dice.Chance(0.5)) {
      const bool may = open[source] < 3;
      ASSERT_EQ(table.Enter(client, step) == Limit::none, may) << "step " << step;
      open[source] += may ? 1 : 0;
    } else if (open[source] > 0) {
      table.Leave(client);
      --open[source];
    }
  }
}

TEST(SourceTableTest, ThreadsLeaveNothingBehind) {
  SourceTable table(50, 0);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&table] {
      for (int i = 0; i < 3'000; ++i) {
        const IpEndpoint client = Client(absl::StrCat("10.0.0.", i % 7, ":1"));
        if (table.Enter(client, i) == Limit::none) table.Leave(client);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace l4lb

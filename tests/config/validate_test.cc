// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/validate.h"

#include <gtest/gtest.h>

#include <string>

namespace l4lb {
namespace {

Config Valid() {
  Config config;
  config.listeners = {{.name = "l", .bind = {"127.0.0.1:80"}, .pool = "p"}};
  config.pools = {{.name = "p"}};
  config.pools[0].backends = {{"a", "10.0.0.1:1"}, {"b", "10.0.0.2:1"}};
  return config;
}

TEST(ValidateTest, ValidHasNoFindings) { EXPECT_TRUE(Validate(Valid()).empty()); }

TEST(ValidateTest, FillsNames) {
  Config config = Valid();
  config.listeners[0].name = "";
  config.pools[0].backends[1].name = "";
  FillNames(&config);
  EXPECT_EQ(config.listeners[0].name, "127.0.0.1:80");
  EXPECT_EQ(config.pools[0].backends[1].name, "10.0.0.2:1");
  EXPECT_EQ(config.pools[0].backends[0].name, "a");
}

TEST(ValidateTest, AtMostSoManyBackends) {
  Config config = Valid();
  config.pools[0].backends.clear();
  for (size_t i = 0; i < kMostBackends; ++i) {
    config.pools[0].backends.push_back({std::to_string(i), "10.0.0.1:1"});
  }
  EXPECT_TRUE(Validate(config).empty());
  config.pools[0].backends.push_back({"one more", "10.0.0.1:1"});
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "pools[0].backends[10000]");
}

TEST(ValidateTest, NamesAreUniqueWhereTheyAreUsed) {
  Config config = Valid();
  config.listeners.push_back({.name = "l", .bind = {"127.0.0.1:81"}, .pool = "p"});
  config.pools.push_back(config.pools[0]);
  config.pools[1].backends[1].name = "a";
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].path, "listeners[1].name");
  EXPECT_EQ(findings[0].first, "listeners[0].name");
  EXPECT_EQ(findings[1].path, "pools[1].name");
  EXPECT_EQ(findings[2].path, "pools[1].backends[1].name") << "in one pool only";
}

TEST(ValidateTest, AnAdminAddressForOthersNeedsAToken) {
  Config config = Valid();
  for (const char* bind : {"auto", "off", "127.0.0.1:9900", "127.9.9.9:0", "[::1]:1", "unix:/a",
                           "[::ffff:127.0.0.1]:1"}) {
    config.admin.bind = bind;
    EXPECT_TRUE(Validate(config).empty()) << bind;
  }
  for (const char* bind : {":9900", "0.0.0.0:9900", "10.0.0.1:9900", "[2001:db8::1]:1"}) {
    config.admin = {.bind = bind};
    const std::vector<Finding> findings = Validate(config);
    ASSERT_EQ(findings.size(), 1u) << bind;
    EXPECT_EQ(findings[0].path, "admin.bind");
    config.admin.read_token_file = "/r";
    EXPECT_TRUE(Validate(config).empty()) << bind;
  }
  config.admin = {.bind = "127.0.0.1:80"};
  ASSERT_EQ(Validate(config).size(), 1u);
  EXPECT_EQ(Validate(config)[0].first, "listeners[0].bind[0]");
}

TEST(ValidateTest, AnAddressIsBoundOnceHoweverItIsWritten) {
  Config config = Valid();
  config.listeners[0].bind = {"[::1]:80", "[0:0:0:0:0:0:0:1]:80", "[::1]:81"};
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "listeners[0].bind[1]");
}

TEST(ValidateTest, PortZeroMayBeBoundTwice) {
  Config config = Valid();
  config.listeners[0].bind = {"127.0.0.1:0", "127.0.0.1:0"};
  EXPECT_TRUE(Validate(config).empty());
}

TEST(ValidateTest, AUnixPathIsBoundOnce) {
  Config config = Valid();
  config.listeners.push_back({.name = "m", .bind = {"unix:/run/b", "unix:/run/a"}, .pool = "p"});
  config.listeners[0].bind = {"unix:/run/a"};
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "listeners[1].bind[1]");
  EXPECT_EQ(findings[0].first, "listeners[0].bind[0]");
  EXPECT_EQ(findings[0].message, "address \"unix:/run/a\" is there twice");
}

TEST(ValidateTest, ASourceIsThereOnceHoweverItIsWritten) {
  Config config = Valid();
  config.pools.push_back({.name = "q", .source = {"10.0.0.1"}});
  config.pools[0].source = {"10.0.0.1", "::1", "0:0:0:0:0:0:0:1", "::ffff:10.0.0.1"};
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].path, "pools[0].source[2]");
  EXPECT_EQ(findings[0].message, "source address \"::1\" is there twice");
  EXPECT_EQ(findings[1].path, "pools[0].source[3]");
}

TEST(ValidateTest, ANameFromALongAddressIsNoName) {
  Config config = Valid();
  config.pools[0].backends = {
      {.address = "unix:/" + std::string(106, 'p')},
      {.address = std::string(62, 'a') + "." + std::string(63, 'b') + ":8"},
      {.address = std::string(63, 'a') + "." + std::string(63, 'b') + ":8"}};
  FillNames(&config);
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "pools[0].backends[2].address");
  EXPECT_EQ(findings[0].hint, "give the backend a name");
  config.pools[0].backends[2].name = "long";
  EXPECT_TRUE(Validate(config).empty());
}

TEST(ValidateTest, PoolMustExist) {
  Config config = Valid();
  config.listeners[0].pool = "q";
  config.pools.push_back({.name = "web"});
  const std::vector<Finding> findings = Validate(config);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "no pool \"q\"; there are p and web");
}

TEST(ValidateTest, WhatIsEmptyWasReportedBefore) {
  Config config = Valid();
  config.listeners[0].pool = "q";
  config.pools[0].name = "";
  config.pools[0].backends = {{}, {}};
  config.listeners[0].bind = {"", ""};
  EXPECT_TRUE(Validate(config).empty());
}

}  // namespace
}  // namespace l4lb

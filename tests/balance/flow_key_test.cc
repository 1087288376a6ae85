// SPDX-License-Identifier: Apache-2.0
#include "l4lb/balance/flow_key.h"

#include <gtest/gtest.h>

#include <string>

namespace l4lb {
namespace {

const std::string kLoopback("\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16);

// Frozen: another value moves every client of every user.
TEST(FlowKeyTest, Golden) {
  EXPECT_EQ(FlowKey(HashKey::kSourceIp, kLoopback, 80), FlowKey(HashKey::kSourceIp, kLoopback, 0));
  EXPECT_EQ(FlowKey(HashKey::kSourceIp, kLoopback, 80), 1274755975499314446u);
  EXPECT_EQ(FlowKey(HashKey::kSourceIpPort, kLoopback, 80), 6962925091020249642u);
}

TEST(FlowKeyTest, ThePortCountsOnlyWhenAskedFor) {
  EXPECT_NE(FlowKey(HashKey::kSourceIpPort, kLoopback, 80),
            FlowKey(HashKey::kSourceIpPort, kLoopback, 81));
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// 10,000 backends in one pool: how long it takes to show them.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>

#include "l4lb/admin/handle_request.h"
#include "tests/admin/fake_control.h"

namespace l4lb {
namespace {

/// Milliseconds; the best of three.
int64_t TimeToAnswer(const std::string& target, FakeControl& control) {
  int64_t best = 1'000'000;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Response response =
        HandleRequest({.method = "GET", .target = target, .peer = "me"}, control);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(response.status, 200);
    best = std::min<int64_t>(best,
                             std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    std::cout << target << ": " << response.body.size() << " bytes, best " << best << " ms\n";
  }
  return best;
}

TEST(ScaleTest, TenThousandBackends) {
  FakeControl control;
  control.status.pools = {PoolOf(10'000)};
  // Five times the limits, for machines that do other things too.
  EXPECT_LT(TimeToAnswer("/v1/pools/a%20pool%2f1", control), 200 * 5);
  EXPECT_LT(TimeToAnswer("/v1/status", control), 200 * 5);
  EXPECT_LT(TimeToAnswer("/metrics", control), 500 * 5);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// A bounded run of what tests/fuzz/admin_fuzz.cc does for as long as one likes.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "l4lb/admin/handle_request.h"
#include "tests/admin/fake_control.h"
#include "tests/admin/request_maker.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

TEST(RequestFuzzTest, EveryRequestHasARightAnswer) {
  constexpr uint64_t kSeed = 20261130;
  Dice dice(kSeed);
  FakeControl control;
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes;
    for (uint64_t size = dice.Below(200); size > 0; --size) {
      bytes += static_cast<char>(dice.Below(256));
    }
    const Request request = RequestMaker(bytes).Make();
    ASSERT_EQ(AskAndCheck(request, control), "") << "seed " << kSeed << ", request " << i << ": "
                                                 << request.method << " " << request.target << "\n"
                                                 << request.body;
  }
}

TEST(RequestFuzzTest, ManyRequestsGetFarEnough) {
  Dice dice(1);
  FakeControl control;
  std::map<int, int> statuses;
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes;
    for (int j = 0; j < 100; ++j) bytes += static_cast<char>(dice.Below(256));
    Request request = RequestMaker(bytes).Make();
    if (i % 2 == 0) request.target = "/v1/pools/a%20pool%2F1/backends/b1";
    ++statuses[HandleRequest(request, control).status];
  }
  for (const int status : {200, 204, 400, 404, 405}) EXPECT_GT(statuses[status], 20) << status;
  EXPECT_GT(control.calls().size(), 20u);
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/json_dump.h"

#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

TEST(Dump, TakesAnyBytes) {
  EXPECT_EQ(Dump({{"a", 1}, {"b", "\u00e9"}}), "{\"a\":1,\"b\":\"\u00e9\"}");
  EXPECT_EQ(Dump({{"file", "\xff.html"}}), "{\"file\":\"\ufffd.html\"}");
}

}  // namespace
}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/suggest.h"

#include <gtest/gtest.h>

namespace l4lb {
namespace {

const std::vector<absl::string_view> kNames = {"max_connections", "idle_timeout", "bind", "a"};

TEST(SuggestTest, FindsTheNearest) {
  EXPECT_EQ(Nearest("max_conections", kNames), "max_connections");
  EXPECT_EQ(Nearest("idle-timeout", kNames), "idle_timeout");
  EXPECT_EQ(Nearest("IdleTimeout", kNames), "idle_timeout");
  EXPECT_EQ(Nearest("bidn", kNames), "bind") << "exchanged neighbours are one edit";
  EXPECT_EQ(Nearest("BIND", kNames), "bind");
}

TEST(SuggestTest, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(Nearest("weight", kNames), "");
  EXPECT_EQ(Nearest("x", kNames), "") << "another letter altogether";
  EXPECT_EQ(Nearest("", kNames), "");
  EXPECT_EQ(Nearest(std::string(100'000, 'b'), kNames), "");
}

TEST(SuggestTest, Question) {
  EXPECT_EQ(DidYouMean("bimd", kNames), "did you mean \"bind\"?");
  EXPECT_EQ(DidYouMean("nothing near", kNames), "");
}

TEST(SuggestTest, JoinsNames) {
  EXPECT_EQ(JoinNames({}, "and", 3), "");
  EXPECT_EQ(JoinNames({"a"}, "and", 3), "a");
  EXPECT_EQ(JoinNames({"a", "b"}, "or", 3), "a or b");
  EXPECT_EQ(JoinNames({"a", "b", "c"}, "and", 3), "a, b and c");
  EXPECT_EQ(JoinNames({"a", "b", "c", "d", "e"}, "and", 2), "a, b and 3 more");
}

}  // namespace
}  // namespace l4lb

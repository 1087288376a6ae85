// SPDX-License-Identifier: Apache-2.0
#include "l4lb/net/errno_text.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace l4lb {
namespace {

TEST(ErrnoTextTest, BeginsWithASmallLetter) {
  EXPECT_EQ(ErrnoText(ECONNREFUSED), "connection refused");
  EXPECT_EQ(ErrnoText(EADDRINUSE), "address already in use");
  EXPECT_EQ(ErrnoText(EMFILE), "too many open files");
}

TEST(ErrnoTextTest, LeavesAbbreviationsAlone) {
  EXPECT_EQ(ErrnoText(EDOTDOT), "RFS specific error");
  EXPECT_EQ(MidSentence("DNS says no"), "DNS says no");
  EXPECT_EQ(MidSentence("Name or service not known"), "name or service not known");
  EXPECT_EQ(MidSentence(""), "");
}

}  // namespace
}  // namespace l4lb

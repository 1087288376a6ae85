// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/bars.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

TEST(Bar, IsAnEighthOfACharacterFine) {
  EXPECT_EQ(Bar(0, 4, false), "    ");
  EXPECT_EQ(Bar(1, 4, false), "\u2588\u2588\u2588\u2588");
  EXPECT_EQ(Bar(0.5, 3, false), "\u2588\u258c ");
  EXPECT_EQ(Bar(1.0 / 32, 4, false), "\u258f   ");
  EXPECT_EQ(Bar(0.5, 4, true), "##  ");
  EXPECT_EQ(Bar(7, 2, true), "##");
  EXPECT_EQ(Bar(-1, 2, true), "  ");
}

TEST(NeedsAscii, LooksAtTheLocaleAsTheLibraryDoes) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(name);
  EXPECT_TRUE(NeedsAscii());
  setenv("LANG", "en_US.UTF-8", 1);
  EXPECT_FALSE(NeedsAscii());
  setenv("LC_ALL", "", 1);  // As if it were not set.
  EXPECT_FALSE(NeedsAscii());
  setenv("LC_ALL", "C", 1);
  EXPECT_TRUE(NeedsAscii());
  setenv("LC_ALL", "C.utf8", 1);
  EXPECT_FALSE(NeedsAscii());
}

}  // namespace
}  // namespace l4lb::kit

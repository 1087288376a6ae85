// SPDX-License-Identifier: Apache-2.0
#include "ring/md5.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/ring/md5_text.h"

namespace ring {
namespace {

// RFC 1321, appendix A.5.
TEST(Md5Test, SuiteOfTheRfc) {
  const std::pair<const char*, const char*> vectors[] = {
      {"", "d41d8cd98f00b204e9800998ecf8427e"},
      {"a", "0cc175b9c0f1b6a831c399e269772661"},
      {"abc", "900150983cd24fb0d6963f7d28e17f72"},
      {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
      {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
       "d174ab98d277d9f5a5611c2c9f419d9f"},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
       "57edf4a22be3c955ac49da2e2107b67a"},
  };
  for (const auto& [text, digest] : vectors) EXPECT_EQ(Md5Text(text), digest) << text;
}

// Around the ends of blocks (computed with md5sum).
TEST(Md5Test, LengthsAroundABlock) {
  const std::pair<size_t, const char*> vectors[] = {
      {55, "04364420e25c512fd958a70738aa8f72"}, {56, "668a72d5ba17f08e62dabcafad6db14b"},
      {63, "7dc2ca208106a2f703567bdff99d8981"}, {64, "c1bb4f81d892b2d57947682aeb252456"},
      {65, "1bc932052302d074bdec39795fe00cf6"}, {120, "fb98667f98096de92620b64f46e1c5b5"},
  };
  for (const auto& [length, digest] : vectors) {
    EXPECT_EQ(Md5Text(std::string(length, 'x')), digest) << length;
  }
}

}  // namespace
}  // namespace ring

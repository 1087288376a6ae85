// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/files.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace l4lb::kit {
namespace {

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(WriteFile, WritesOverWhatIsThere) {
  const std::string path = testing::TempDir() + "/l4lb_kit_files_test.html";
  ASSERT_TRUE(WriteFile(path, "longer than the next").ok());
  ASSERT_TRUE(CheckWritable(path).ok());
  EXPECT_EQ(ReadFile(path), "longer than the next");
  ASSERT_TRUE(WriteFile(path, "short").ok());
  EXPECT_EQ(ReadFile(path), "short");
  std::remove(path.c_str());
}

TEST(WriteFile, SaysWhyNot) {
  const absl::Status status = WriteFile("/no/such/folder/x.html", "x");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(CheckWritable("/no/such/folder/x.html"), status);
  EXPECT_TRUE(absl::StrContains(status.message(), "/no/such/folder/x.html: No such file"));
}

}  // namespace
}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/page.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace l4lb::kit {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr PageParts kParts = {.html =
                                  "<style>{{style}}</style>"
                                  "<script id=\"data\">{{data}}</script>"
                                  "<script>{{script}}</script>",
                              .style = "p { margin: 0 }",
                              .script = "draw();"};

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(FillPage, PutsEveryPartInItsPlace) {
  EXPECT_EQ(FillPage(kParts, "[1]"),
            "<style>p { margin: 0 }</style><script id=\"data\">[1]</script>"
            "<script>draw();</script>");
}

TEST(FillPage, KeepsDataInsideItsElement) {
  const json said = {"</script><b>", "<!-- <script>", "{{script}}"};
  const std::string page = FillPage(kParts, said.dump());
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  const size_t from = page.find("\"data\">") + 7;
  EXPECT_EQ(json::parse(page.substr(from, page.find("</script>") - from)), said);
}

TEST(WriteFile, WritesOverWhatIsThere) {
  const std::string path = testing::TempDir() + "/l4lb_kit_page_test.html";
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

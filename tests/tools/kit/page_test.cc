// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/page.h"

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

}  // namespace
}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/page.h"

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/tools/lookup/sample_survey.h"
#include "tools/lookup/pictures.h"

namespace l4lb::lookup {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDataBegins = "<script type=\"application/json\" id=\"data\">";

std::string Between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

TEST(Page, AsksTheNetworkForNothing) {
  const std::string page = PageText({}, SampleSurvey());
  for (const char* foreign : {"http:", "https:", "src=", "<link", "@import", "url(", "fetch("}) {
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("<title>Lookup tables side by side</title>"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Page, CarriesTheFiguresOfTheRun) {
  const std::string page = PageText({.seed = 5}, SampleSurvey());
  const json data = json::parse(Between(page, kDataBegins, "</script>"));
  EXPECT_EQ(data.at("parameters").at("seed"), 5);
  EXPECT_EQ(data.at("rows").at(0).at("shares"), json({0.75, 1.25}));
  EXPECT_EQ(data.at("claims").at(0).at("claim"), "less is </script> more");
}

TEST(Page, ShowsTablesInWhichOnlyTheDeadNodesSlotsMove) {
  const auto picture = MaglevPicture();
  const uint32_t size = picture.at("size");
  const char gone = static_cast<char>(picture.at("gone").get<int>());
  const auto owners = [&](const char* which) {
    std::string bytes;
    EXPECT_TRUE(absl::Base64Unescape(picture.at(which).get<std::string>(), &bytes));
    EXPECT_EQ(bytes.size(), size);
    return bytes;
  };
  const std::string before = owners("before");
  const std::string dead = owners("dead");
  const std::string removed = owners("removed");
  int own = 0;
  int in_vain = 0;
  for (uint32_t slot = 0; slot < size; ++slot) {
    EXPECT_NE(dead[slot], gone);
    EXPECT_NE(removed[slot], gone);
    if (before[slot] == gone) {
      ++own;
    } else {
      ASSERT_EQ(dead[slot], before[slot]) << slot;
      if (removed[slot] != before[slot]) ++in_vain;
    }
  }
  EXPECT_NEAR(own, size / 10.0, 1);
  EXPECT_GT(in_vain, 0);
  EXPECT_LT(in_vain, size / 50.0);
}

}  // namespace
}  // namespace l4lb::lookup

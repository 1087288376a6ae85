// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/page.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/lab/page_server.h"
#include "tools/lab/scenes.h"

namespace l4lb::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::ordered_json Simulated(const std::vector<std::string>& query) {
  const PageServer::Answer answer = PageServer::Simulate(query);
  EXPECT_EQ(answer.status, 200) << answer.body;
  return nlohmann::ordered_json::parse(answer.body);
}

std::string Refused(const std::vector<std::string>& query) {
  const PageServer::Answer answer = PageServer::Simulate(query);
  EXPECT_EQ(answer.status, 400);
  return answer.body;
}

TEST(PageServerTest, SettingsAreFlags) {
  const auto found = Simulated({"scene=slow", "balancers=2", "seeds=3", "policies=p2c,ring"});
  EXPECT_EQ(found["command"],
            "l4lb-lab simulate --scene=slow --balancers=2 --seeds=3 --policies=p2c,ring");
  EXPECT_EQ(found["marked"], nlohmann::ordered_json({3}));
  const auto& rows = found["groups"][0]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["policy"], "p2c");
  EXPECT_EQ(rows[0]["p99_of_runs"].size(), 3u);
  EXPECT_EQ(rows[0]["curve"]["nines"].size(), rows[0]["curve"]["most"].size());
  EXPECT_EQ(rows[0]["over_time"]["present"].size(), 4u);
  EXPECT_EQ(rows[0]["over_time"]["times_s"].size(), 80u);
  EXPECT_EQ(rows[0]["over_time"]["p50"].size(), 80u);
  EXPECT_LE(rows[0]["over_time"]["p50"][79], rows[0]["over_time"]["p99"][79]);
}

// Grey marks stand only where the world is the published one.
TEST(PageServerTest, PublishedFiguresBelongToTheirScene) {
  EXPECT_EQ(Simulated({"scene=sliders"})["published"].size(), 8u);
  EXPECT_EQ(Simulated({"scene=sliders", "utilisation=80"})["published"].size(), 0u);
  EXPECT_EQ(Simulated({"utilisation=70"})["published"].size(), 0u);
}

TEST(PageServerTest, SaysWhatIsWrong) {
  EXPECT_THAT(Refused({"backends=0"}), HasSubstr("--backends"));
  EXPECT_THAT(Refused({"slow=9"}), HasSubstr("at most 4"));
  EXPECT_THAT(Refused({"html=page.html"}), HasSubstr("there is no setting html=page.html"));
  EXPECT_THAT(Refused({"claims"}), HasSubstr("there is no setting"));
  EXPECT_THAT(Refused({"backends=10000", "seeds=20"}), HasSubstr("too many for a page"));
  EXPECT_THAT(Refused({"help"}), Not(HasSubstr("Usage")));
}

TEST(PageTest, ServedPageMayAskItsServerAndNobodyElse) {
  EXPECT_THAT(ServedPageText(), HasSubstr("default-src 'none'; connect-src 'self'"));
  const std::string page = PageText(Simulated({"scene=slow", "seeds=1"}));
  EXPECT_THAT(page, Not(HasSubstr("connect-src")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
}

TEST(PageTest, EveryScenePassesAsItIs) {
  const auto scenes = ScenesData()["scenes"];
  EXPECT_EQ(scenes.size(), 6u);
  for (const auto& scene : scenes) {
    std::vector<std::string> query = {"scene=" + scene["name"].get<std::string>()};
    for (const auto& [key, value] : scene["settings"].items()) {
      query.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
    EXPECT_EQ(PageServer::Simulate(query).status, 200) << PageServer::Simulate(query).body;
  }
}

}  // namespace
}  // namespace l4lb::lab

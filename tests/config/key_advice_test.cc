// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/key_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "l4lb/config/key_table.h"
#include "l4lb/config/load.h"
#include "tests/config/table_document.h"

namespace l4lb {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Config> config = ParseConfig("x.yaml", text);
  return std::string(config.status().message());
}

TEST(KeyAdviceTest, TheDocumentWithAllKeysIsValid) {
  EXPECT_EQ(ErrorOf(DocumentWithAllKeys()), "") << DocumentWithAllKeys();
}

TEST(KeyAdviceTest, EveryKeyWithOneLetterChangedIsRecognised) {
  for (const Key& key : AllKeys()) {
    for (size_t i = 0; i < key.name().size(); ++i) {
      std::string misspelled(key.name());
      misspelled[i] = misspelled[i] == 'q' ? 'x' : 'q';
      const std::string error =
          ErrorOf(DocumentWithAllKeys({.renamed_path = key.path, .new_name = misspelled}));
      EXPECT_THAT(error, HasSubstr(absl::StrCat("unknown key \"", misspelled, "\"")));
      EXPECT_THAT(error, HasSubstr(absl::StrCat("^ did you mean \"", key.name(), "\"?")));
      EXPECT_THAT(error, EndsWith("\n1 error")) << "a misspelled key is not also missing";
    }
  }
}

TEST(KeyAdviceTest, EveryKeyAtAWrongLevelIsToldWhereItBelongs) {
  int tried = 0;
  for (const Key& key : AllKeys()) {
    for (const std::string& level : AllLevels()) {
      if (FindKey(level, key.name()) != nullptr) continue;
      const std::string error = ErrorOf(DocumentWithAllKeys(
          {.extended_level = level, .extra = absl::StrCat(key.name(), ": ", AnyValue(key))}));
      EXPECT_THAT(error, HasSubstr("this key belongs ")) << key.path << " in " << level;
      EXPECT_THAT(error, HasSubstr(LevelText(key.level()))) << key.path << " in " << level;
      EXPECT_THAT(error, EndsWith("\n1 error"));
      ++tried;
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(KeyAdviceTest, MisspelledAndAtAWrongLevel) {
  const KeyAdvice advice = AdviseOnUnknownKey("pools[].backends[]", "drain_timeot");
  EXPECT_EQ(advice.hint, "did you mean \"drain_timeout\"? it belongs at the top level");
  EXPECT_EQ(advice.meant, "");
}

TEST(KeyAdviceTest, NamesAllLevels) {
  EXPECT_EQ(AdviseOnUnknownKey("pools[].queue", "max_connections").hint,
            "this key belongs in the top level, listeners[], listeners[].per_source, pools[] or "
            "pools[].backends[]");
  EXPECT_EQ(AdviseOnUnknownKey("", "name").hint,
            "this key belongs in listeners[], pools[] or pools[].backends[]");
}

TEST(KeyAdviceTest, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(AdviseOnUnknownKey("buffers", "zzzzzz").hint, "known here: size and count");
}

TEST(KeyAdviceTest, MergeKeys) {
  EXPECT_THAT(AdviseOnUnknownKey("pools[]", "<<").hint, HasSubstr("merge keys"));
}

}  // namespace
}  // namespace l4lb

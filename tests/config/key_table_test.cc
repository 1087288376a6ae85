// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/key_table.h"

#include <gflags/gflags.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/flag_table.h"
#include "l4lb/config/value.h"

namespace l4lb {
namespace {

bool HoldsKeys(const Key& key) {
  return key.type == KeyType::kMapping || key.type == KeyType::kList;
}

TEST(KeyTableTest, PathsAreUniqueAndStandBelowAKeyThatHoldsThem) {
  std::set<absl::string_view> paths;
  for (const Key& key : AllKeys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    if (key.level().empty()) continue;
    absl::string_view parent = key.level();
    const bool in_list = absl::EndsWith(parent, "[]");
    if (in_list) parent.remove_suffix(2);
    const Key* holder = FindKeyByPath(parent);
    ASSERT_NE(holder, nullptr) << key.path;
    EXPECT_EQ(holder->type, in_list ? KeyType::kList : KeyType::kMapping) << key.path;
    EXPECT_TRUE(paths.contains(parent)) << key.path << " must follow " << parent;
  }
}

TEST(KeyTableTest, EachRowIsBoundByItsType) {
  for (const Key& key : AllKeys()) {
    EXPECT_EQ(key.field.set == nullptr, HoldsKeys(key)) << key.path;
    EXPECT_EQ(key.elements.append != nullptr, key.type == KeyType::kList) << key.path;
    EXPECT_EQ(key.choices.empty(), key.type != KeyType::kEnum) << key.path;
    EXPECT_LE(key.min, key.max) << key.path;
    EXPECT_GE(key.step, 1) << key.path;
  }
}

TEST(KeyTableTest, TextsAreForReaders) {
  for (const Key& key : AllKeys()) {
    EXPECT_FALSE(key.summary.empty()) << key.path;
    EXPECT_FALSE(absl::EndsWith(key.summary, ".")) << key.path;
    EXPECT_LE(key.summary.size(), 80u) << key.path;
    EXPECT_TRUE(key.text.empty() || absl::EndsWith(key.text, ".")) << key.path;
    const bool has_value = !DefaultText(key).empty() || key.type == KeyType::kPath;
    EXPECT_TRUE(HoldsKeys(key) || has_value || !key.example.empty()) << key.path;
  }
}

TEST(KeyTableTest, DefaultsAreInRangeAndReadBack) {
  for (const Key& key : AllKeys()) {
    if (HoldsKeys(key) || key.required || !key.default_text.empty()) continue;
    if (key.is_address_list()) {  // ParseValue() reads one address; LoadTest reads "[]".
      EXPECT_EQ(key.field.initial(), Value(std::vector<std::string>())) << key.path;
      EXPECT_EQ(DefaultText(key), "[]") << key.path;
      continue;
    }
    Value value;
    Problem problem;
    EXPECT_TRUE(ParseValue(key, DefaultText(key), &value, &problem)) << key.path << problem.message;
    EXPECT_EQ(value, key.field.initial()) << key.path;
  }
}

TEST(KeyTableTest, EveryChoiceReadsBack) {
  for (const Key& key : AllKeys()) {
    for (absl::string_view choice : key.choices) {
      Value value;
      Problem problem;
      EXPECT_TRUE(ParseValue(key, choice, &value, &problem)) << key.path;
      EXPECT_EQ(FormatValue(key, value), choice) << key.path;
    }
  }
}

// Other programs read our files, too, and by YAML 1.1 `off` is false.
TEST(KeyTableTest, NoChoiceIsAnotherTypeToOtherReaders) {
  const std::set<absl::string_view> words = {"y",   "n",    "yes",   "no",  "on",
                                             "off", "true", "false", "null"};
  for (const Key& key : AllKeys()) {
    for (absl::string_view choice : key.choices) {
      EXPECT_EQ(words.count(choice), 0u) << key.path << ": " << choice;
    }
  }
}

TEST(KeyTableTest, Lookups) {
  const Key* idle = FindKey("pools[].keepalive", "idle");
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(idle, FindKeyByPath("pools[].keepalive.idle"));
  EXPECT_EQ(FindKeyByFlag("listen"), FindKeyByPath("listeners[].bind"));
  EXPECT_EQ(FindKey("pools[]", "bind"), nullptr);
  EXPECT_EQ(FindKeyByFlag(""), nullptr);
  EXPECT_TRUE(KeysOfLevel("nowhere").empty());
}

TEST(KeyTableTest, EveryFlagIsKnownToGflags) {
  for (const Flag& flag : AllFlags()) {
    gflags::CommandLineFlagInfo info;
    EXPECT_TRUE(gflags::GetCommandLineFlagInfo(std::string(flag.name).c_str(), &info))
        << "flags.cc lacks --" << flag.name;
    EXPECT_EQ(flag.is_switch(), info.type == "bool") << flag.name;
    EXPECT_EQ(FindFlag(flag.name), &flag) << flag.name << " is there twice";
  }
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/config/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace l4lb {
namespace {

using ::testing::HasSubstr;

class YamlTreeTest : public ::testing::Test {
 protected:
  /// Returns the root; `text` must be a literal.
  const YamlNode* Parse(absl::string_view text) {
    Diagnostics diagnostics("x", text);
    EXPECT_TRUE(tree_.Parse(text, &diagnostics)) << diagnostics.ToString();
    return tree_.root();
  }

  std::string Error(absl::string_view text) {
    Diagnostics diagnostics("x", text);
    EXPECT_FALSE(tree_.Parse(text, &diagnostics)) << text;
    return diagnostics.ToString();
  }

  YamlTree tree_;
};

TEST_F(YamlTreeTest, KeepsKindsAndPlaces) {
  const absl::string_view text = "a: {b: [1, \"2\"]}\nc: ~\n";
  const YamlNode* root = Parse(text);
  ASSERT_EQ(root->kind, YamlNode::Kind::kMapping);
  ASSERT_EQ(root->entries.size(), 2u);
  const YamlNode* list = root->entries[0].value->entries[0].value;
  ASSERT_EQ(list->kind, YamlNode::Kind::kSequence);
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_EQ(list->items[1]->text, "2");
  EXPECT_EQ(list->items[1]->span.begin, text.find('2'));
  EXPECT_EQ(root->entries[1].value->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->entries[1].key->span.begin, text.find('c'));
}

TEST_F(YamlTreeTest, NothingHasThePlaceOfItsKey) {
  const YamlNode* root = Parse("a: 1\nbc:\n");
  EXPECT_EQ(root->entries[1].value->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->entries[1].value->span.begin, 5u);
  EXPECT_EQ(root->entries[1].value->span.end, 7u);
}

TEST_F(YamlTreeTest, QuotedNullIsText) {
  EXPECT_EQ(Parse("\"null\"")->kind, YamlNode::Kind::kScalar);
}

TEST_F(YamlTreeTest, EmptyFiles) {
  for (absl::string_view text : {"", "\n", "# only a comment\n", "---\n"}) {
    const YamlNode* root = Parse(text);
    EXPECT_TRUE(root == nullptr || root->kind == YamlNode::Kind::kNull) << text;
  }
}

TEST_F(YamlTreeTest, DuplicateKeysAreKept) { EXPECT_EQ(Parse("a: 1\na: 2\n")->entries.size(), 2u); }

TEST_F(YamlTreeTest, CarriageReturnsAreNotText) {
  const YamlNode* root = Parse("a: one\r\nb: \"two\"\r\n");
  EXPECT_EQ(root->entries[0].value->text, "one");
  EXPECT_EQ(root->entries[1].value->text, "two");
}

TEST_F(YamlTreeTest, AliasesShareTheNode) {
  const YamlNode* root = Parse("a: &x {k: v}\nb: *x\n");
  EXPECT_EQ(root->entries[0].value, root->entries[1].value);
}

TEST_F(YamlTreeTest, UnknownAnchor) {
  EXPECT_THAT(Error("a: 1\nb: *nothing\n"), HasSubstr("x:2:5: no anchor"));
}

TEST_F(YamlTreeTest, SyntaxErrors) {
  EXPECT_THAT(Error("a: 1\nb: [1, 2\nc: 3\n"),
              HasSubstr("flow sequence without a closing bracket"));
  EXPECT_THAT(Error("a:\n\t- 1\n"), HasSubstr("indent with spaces"));
  EXPECT_THAT(Error("a: \"open\nb: 1\n"), HasSubstr("x:1:4: YAML: "));
  EXPECT_THAT(Error("a: 1\n b: 2\n"), HasSubstr("YAML: "));
  EXPECT_THAT(Error("a: 1\n---\nb: 2\n"), HasSubstr("x:2:1: a second document begins"));
}

TEST_F(YamlTreeTest, WrongBytes) {
  EXPECT_THAT(Error("a: \xFF\n"), HasSubstr("x:1:4: the file is not valid UTF-8"));
  EXPECT_THAT(Error(absl::string_view("a: x\0y\n", 7)), HasSubstr("x:1:5: a control character"));
  EXPECT_THAT(Error("a: \x1b[0m\n"), HasSubstr("x:1:4: a control character"));
}

TEST_F(YamlTreeTest, DeepNestingIsAnErrorNotACrash) {
  const std::string text(100'000, '[');
  EXPECT_THAT(Error(text), HasSubstr("YAML: "));
}

}  // namespace
}  // namespace l4lb

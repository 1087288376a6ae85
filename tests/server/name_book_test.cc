// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/name_book.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace l4lb {
namespace {

TEST(NameBookTest, OneEntryForEachCombination) {
  NameBook book;
  const SessionNames& names = book.Intern("front", "back", "p2c");
  EXPECT_STREQ(names.listener, "front");
  EXPECT_STREQ(names.pool, "back");
  EXPECT_STREQ(names.policy, "p2c");
  EXPECT_EQ(&book.Intern("front", "back", "p2c"), &names);
  EXPECT_NE(&book.Intern("front", "back", "random"), &names);
  EXPECT_NE(&book.Intern("front", "other", "p2c"), &names);
  EXPECT_NE(&book.Intern("fron", "tback", "p2c"), &names) << "no concatenation of the three";
}

// Records point into it while others are entered.
TEST(NameBookTest, EntriesStayWhereTheyAre) {
  NameBook book;
  std::vector<const SessionNames*> entries;
  std::vector<const char*> texts;
  for (int i = 0; i < 1'000; ++i) {
    // Short and long names: some live inside their string, some on the heap.
    std::string name(static_cast<size_t>(i % 40 + 1), 'x');
    name += std::to_string(i);
    entries.push_back(&book.Intern(name, "pool", "maglev"));
    texts.push_back(entries.back()->listener);
  }
  for (int i = 0; i < 1'000; ++i) {
    std::string name(static_cast<size_t>(i % 40 + 1), 'x');
    name += std::to_string(i);
    EXPECT_EQ(&book.Intern(name, "pool", "maglev"), entries[i]);
    EXPECT_EQ(entries[i]->listener, texts[i]);
    EXPECT_EQ(entries[i]->listener, name);
  }
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// Damaged files: whatever a file looks like, reading it ends, either with a configuration that
// prints and reads back, or with errors that name places.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/help.h"
#include "l4lb/config/load.h"
#include "tests/config/table_document.h"
#include "tests/support/dice.h"

namespace l4lb {
namespace {

constexpr absl::string_view kPieces[] = {"\n",
                                         "\t",
                                         "  ",
                                         "- ",
                                         ": ",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         "\"",
                                         "'",
                                         "#",
                                         "&a ",
                                         "*a",
                                         "!!x",
                                         "|\n",
                                         ">\n",
                                         "---\n",
                                         "...",
                                         "? ",
                                         "%YAML",
                                         "\\",
                                         "\r",
                                         "~",
                                         "<<:",
                                         "0",
                                         "-1",
                                         "99999999999999999999",
                                         "\xff",
                                         "\xc3",
                                         "\xe2\x80\xa8",
                                         "name: ",
                                         "type: ",
                                         "\\x01",
                                         "pools:"};

/// Keys of checks that exclude each other, hence not in DocumentWithAllKeys().
constexpr char kChecks[] = R"(listeners: [{bind: ":80", pool: a}]
pools:
  - {name: a, backends: [{address: "10.0.0.1:1"}],
     health_check: {type: send_expect, send: "PING\r\n", expect_regex: '^\+(PONG|OK)'}}
  - {name: b, backends: [{address: "10.0.0.1:1"}],
     health_check: {type: send_expect, send_hex: 50 49 4e47, expect: "+PONG\r\n", limit: 1KiB}}
  - {name: c, backends: [{address: "10.0.0.1:1"}],
     health_check: {type: http, path: /health, host: "x", status: "200,204,300-399"}}
)";

std::string Piece(Dice* dice) {
  if (dice->Chance(0.2)) return std::string(1, static_cast<char>(dice->Below(256)));
  return std::string(kPieces[dice->Below(std::size(kPieces))]);
}

void Mutate(Dice* dice, std::string* text) {
  const size_t at = dice->Below(text->size() + 1);
  const size_t length = std::min<size_t>(dice->Below(12), text->size() - at);
  switch (dice->Below(4)) {
    case 0:
      text->insert(at, Piece(dice));
      break;
    case 1:
      text->erase(at, length);
      break;
    case 2:
      text->replace(at, length, Piece(dice));
      break;
    default:
      text->insert(dice->Below(text->size() + 1), text->substr(at, length));
  }
}

TEST(MutationTest, DamagedFilesAreReadOrRefused) {
  const std::vector<std::string> seeds = {std::string(ExampleFile()), DocumentWithAllKeys(),
                                          kChecks};
  int taken = 0;
  int refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Dice dice(seed);
    std::string text = seeds[seed % seeds.size()];
    for (int64_t i = dice.Between(1, 5); i > 0; --i) Mutate(&dice, &text);
    const absl::StatusOr<Config> config = ParseConfig("x", text);
    if (config.ok()) {
      ++taken;
      const absl::StatusOr<Config> again = ParseConfig("printed", PrintConfig(*config));
      ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << text << "\n" << again.status();
      ASSERT_EQ(*again, *config) << "seed " << seed << "\n" << text;
    } else {
      ++refused;
      ASSERT_TRUE(absl::StartsWith(config.status().message(), "x:")) << "seed " << seed;
      ASSERT_TRUE(absl::StrContains(config.status().message(), "error")) << "seed " << seed;
    }
  }
  EXPECT_GT(taken, 20);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace l4lb

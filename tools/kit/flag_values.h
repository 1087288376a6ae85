// SPDX-License-Identifier: Apache-2.0
//
// Flags whose values are durations, sizes, one of some words, or addresses, as everywhere in l4lb.
// What does not parse throws CLI::ValidationError, which says what would be right.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "l4lb/config/suggest.h"
#include "l4lb/net/socket_address.h"

namespace l4lb::kit {

/// `250ms`, `5s`.  `*ms` holds the default.
void AddDuration(CLI::App* app, const std::string& name, int64_t* ms, const std::string& help);

/// For check(): a number from `least` to `most`.  (CLI::Range takes NaN for one.)
CLI::Validator Within(double least, double most);

/// `64`, `16KiB`.  `*bytes` holds the default.
void AddSize(CLI::App* app, const std::string& name, int64_t* bytes, const std::string& help);

/// One of the keys of `choices`, which outlives the app, as does `*value`.
template <typename Enum>
void AddChoice(CLI::App* app, const std::string& name, Enum* value,
               const std::map<std::string, Enum>& choices, const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto parse = [value, name, &choices, words](const std::string& text) {
    const auto found = choices.find(text);
    if (found == choices.end()) {
      throw CLI::ValidationError(
          name, absl::StrCat("'", text, "' is none of ", JoinNames(words, "or", words.size())));
    }
    *value = found->second;
  };
  app->add_option_function<std::string>(name, parse, help)->type_name(absl::StrJoin(words, "|"));
}

/// `flag` is named in the error.
std::vector<SocketAddress> ParseAddresses(const std::string& flag,
                                          const std::vector<std::string>& texts);

}  // namespace l4lb::kit

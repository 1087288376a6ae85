// SPDX-License-Identifier: Apache-2.0
#include "tools/kit/command_line.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "l4lb/config/suggest.h"

namespace l4lb::kit {
namespace {

constexpr int kDone = 0;
constexpr int kWrongFlags = 2;

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> VerbsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

// The verb that was given, or the program.
const CLI::App& Given(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : *verbs.front();
}

// As long as a verb is missing, only verbs are looked at: whose flags are right is not known.
std::string Advice(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App& given = Given(app);
  const std::vector<std::string> verbs = VerbsOf(given);
  const std::vector<std::string> known = verbs.empty() ? FlagsOf(given) : verbs;
  const std::vector<absl::string_view> names(known.begin(), known.end());
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (verbs.empty() && !absl::StartsWith(name, "-")) continue;
    const std::string advice = DidYouMean(name, names);
    if (!advice.empty()) return absl::StrCat("; ", advice);
  }
  return "";
}

}  // namespace

Ending Wrong(const std::string& program, const std::string& what) {
  return {.exit_status = kWrongFlags, .text = absl::StrCat(program, ": ", what, "\n")};
}

Ending EndingOf(const CLI::App& app, const std::vector<std::string>& arguments,
                const CLI::ParseError& error) {
  // CLI11 throws for --help, too.
  if (error.get_exit_code() == kDone) return {.exit_status = kDone, .text = Given(app).help()};
  return Wrong(app.get_name(), absl::StrCat(error.what(), Advice(app, arguments)));
}

int Tell(const Ending& ending) {
  (ending.exit_status == kDone ? std::cout : std::cerr) << ending.text << std::flush;
  return ending.exit_status;
}

std::string CommandText(const std::string& program, const std::vector<std::string>& arguments) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%@";
  std::string text = program;
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos;
    const std::string quoted =
        absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'");
    absl::StrAppend(&text, " ", plain ? argument : quoted);
  }
  return text;
}

std::vector<std::string> Reversed(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
//
// What every tool does with its command line: CLI11 reads it, and what is wrong is one line that
// names the nearest flag or verb.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace l4lb::kit {

/// Why there is nothing to run.
struct Ending {
  int exit_status = 0;
  std::string text;  ///< For stdout (status 0) or stderr.
};

template <typename Options>
struct CommandLine {
  Options options;
  std::optional<Ending> ending;  ///< Then the options mean nothing.
};

/// Status 2 and `program: what`.
Ending Wrong(const std::string& program, const std::string& what);

/// What CLI11 threw: help of the program or of the verb that was given, or an error with the
/// nearest flag or verb.  `app` has the program's name; verbs are its subcommands, if it has any.
Ending EndingOf(const CLI::App& app, const std::vector<std::string>& arguments,
                const CLI::ParseError& error);

/// Says it where it belongs, and returns the exit status.
int Tell(const Ending& ending);

/// A command as one would type it: what a shell would cut apart stands in quotes.
std::string CommandText(const std::string& program, const std::vector<std::string>& arguments);

/// In the order that CLI11 wants: the last one first.
std::vector<std::string> Reversed(std::vector<std::string> arguments);

/// Lets `app` read `arguments` (without the program's name).  Then `finish` makes the CommandLine
/// of what was read; it may throw CLI::ParseError, too.
template <typename Finish>
auto Parse(CLI::App* app, const std::vector<std::string>& arguments, Finish finish)
    -> decltype(finish()) {
  try {
    app->parse(Reversed(arguments));
    return finish();
  } catch (const CLI::ParseError& error) {
    return {.ending = EndingOf(*app, arguments, error)};
  }
}

}  // namespace l4lb::kit

// SPDX-License-Identifier: Apache-2.0
//
// From command line and file to a Config.  The only reader of flags and YAML.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "l4lb/config/config.h"

namespace l4lb {

/// What the command line asks for.
struct CommandLine {
  enum class Action { kRun, kCheck, kPrintConfig, kHelp, kVersion };
  Action action = Action::kRun;
  bool demo = false;  // Then config has one listener and no pool yet: server/demo fills it in.
  Config config;
  std::string source;      // "flags", or the file's path.
  std::string dump_table;  // kCheck: where to write the lookup tables.  Empty: nowhere.
  std::string text;        // kHelp, kPrintConfig: what to print.
};

/// Reads argv, and the file that --config names.  An error's message is complete, may span several
/// lines (all errors at once, each with its place) and ends without a newline; the caller prints it
/// to stderr and exits 2.
absl::StatusOr<CommandLine> ReadCommandLine(int argc, char** argv);

/// Parses a configuration file's text; `path` is only for messages.
absl::StatusOr<Config> ParseConfig(std::string_view path, std::string_view text);

/// The effective configuration as YAML, with every default; ParseConfig() reads it back unchanged.
std::string PrintConfig(const Config& config);

}  // namespace l4lb

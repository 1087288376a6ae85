// SPDX-License-Identifier: Apache-2.0
#include <gflags/gflags.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "l4lb/config/argument_scanner.h"
#include "l4lb/config/flag_config.h"
#include "l4lb/config/flag_table.h"
#include "l4lb/config/help.h"
#include "l4lb/config/load.h"
#include "l4lb/config/load_file.h"
#include "l4lb/config/print.h"
#include "l4lb/config/utf8.h"

// Their texts are in the key table and in flag_table.cc.  gflags defines --help and --version.
DEFINE_string(listen, "", "See --help.");
DEFINE_string(backends, "", "See --help.");
DEFINE_string(policy, "", "See --help.");
DEFINE_string(hash_key, "", "See --help.");
DEFINE_string(config, "", "See --help.");
DEFINE_string(engine, "", "See --help.");
DEFINE_string(workers, "", "See --help.");
DEFINE_string(max_connections, "", "See --help.");
DEFINE_string(connect_timeout, "", "See --help.");
DEFINE_string(idle_timeout, "", "See --help.");
DEFINE_string(drain_timeout, "", "See --help.");
DEFINE_string(access_log, "", "See --help.");
DEFINE_string(admin, "", "See --help.");
DEFINE_bool(check, false, "See --help.");
DEFINE_string(dump_table, "", "See --help.");
DEFINE_bool(print_config, false, "See --help.");
DEFINE_bool(demo, false, "See --help.");

namespace l4lb {
namespace {

constexpr absl::string_view kShortest =
    "nothing to do; the two shortest ways to start:\n"
    "  l4lb --listen=:8080 --backends=10.0.0.1:80,10.0.0.2:80\n"
    "  l4lb --demo";

absl::Status Failed(const FlagErrors& errors) {
  return absl::InvalidArgumentError(errors.ToString());
}

/// Hands the checked arguments to gflags and returns what was given.  gflags is left as it was.
GivenFlags ParseByGflags(std::vector<std::string> arguments) {
  gflags::FlagSaver saver;
  std::vector<char*> pointers;
  std::string program = "l4lb";
  pointers.push_back(program.data());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int argc = static_cast<int>(pointers.size());
  char** argv = pointers.data();
  gflags::ParseCommandLineNonHelpFlags(&argc, &argv, false);
  GivenFlags given;
  for (const Flag& flag : AllFlags()) {
    const std::string name(flag.name);
    const gflags::CommandLineFlagInfo info = gflags::GetCommandLineFlagInfoOrDie(name.c_str());
    const bool off = flag.is_switch() && info.current_value == "false";
    if (!info.is_default && !off) given[name] = info.current_value;
  }
  return given;
}

void CheckConfigExcludes(const GivenFlags& given, FlagErrors* errors) {
  const std::string file = Printable(given.at("config"));
  for (const auto& [name, value] : given) {
    const Flag& flag = *FindFlag(name);
    if (flag.key != nullptr) {
      errors->Add(absl::StrCat("--", name), "cannot be together with --config",
                  absl::StrCat("set ", flag.key->path, " in ", file));
    }
  }
  if (given.contains("demo")) errors->Add("--demo", "cannot be together with --config");
}

void CheckDemoExcludes(const GivenFlags& given, FlagErrors* errors) {
  for (const auto& [name, value] : given) {
    const Flag& flag = *FindFlag(name);
    const bool of_pool = flag.key != nullptr && absl::StartsWith(flag.key->path, "pools[]");
    if (!of_pool && name != "check" && name != "print_config") continue;
    errors->Add(absl::StrCat("--", name), "cannot be together with --demo",
                "the demonstration makes a pool of its own at the start");
  }
}

void CheckTogether(const GivenFlags& given, FlagErrors* errors) {
  if (given.contains("check") && given.contains("print_config")) {
    errors->Add("--check", "cannot be together with --print_config", "give one of them");
  }
  if (given.contains("dump_table") && !given.contains("check")) {
    errors->Add("--dump_table", "is for --check", "give both");
  }
  if (given.contains("config")) return CheckConfigExcludes(given, errors);
  if (given.contains("demo")) return CheckDemoExcludes(given, errors);
  const bool listen = given.contains("listen");
  const bool backends = given.contains("backends");
  if (listen && !backends) {
    errors->Add("--backends", "is missing", "such as --backends=10.0.0.1:80,10.0.0.2:80");
  }
  if (backends && !listen) errors->Add("--listen", "is missing", "such as --listen=:8080");
}

CommandLine::Action ActionOf(const GivenFlags& given) {
  if (given.contains("help")) return CommandLine::Action::kHelp;
  if (given.contains("version")) return CommandLine::Action::kVersion;
  if (given.contains("print_config")) return CommandLine::Action::kPrintConfig;
  if (given.contains("check")) return CommandLine::Action::kCheck;
  return CommandLine::Action::kRun;
}

absl::StatusOr<LoadedConfig> Load(const GivenFlags& given) {
  FlagErrors errors;
  CheckTogether(given, &errors);
  const auto file = given.find("config");
  const bool demo = given.contains("demo");
  if (file != given.end() && errors.empty()) return LoadFile(file->second);
  if (file != given.end()) return Failed(errors);
  if (!demo && !given.contains("listen") && !given.contains("backends")) {
    return absl::InvalidArgumentError(kShortest);
  }
  LoadedConfig loaded = ConfigFromFlags(given, demo, &errors);
  if (!errors.empty()) return Failed(errors);
  return loaded;
}

}  // namespace

absl::StatusOr<CommandLine> ReadCommandLine(int argc, char** argv) {
  FlagErrors errors;
  const std::vector<absl::string_view> arguments(argv + 1, argv + std::max(1, argc));
  const std::vector<std::string> checked = ScanArguments(arguments, &errors);
  if (!errors.empty()) return Failed(errors);

  const GivenFlags given = ParseByGflags(checked);
  CommandLine line;
  line.action = ActionOf(given);
  if (line.action == CommandLine::Action::kHelp) line.text = HelpText();
  if (line.action == CommandLine::Action::kHelp || line.action == CommandLine::Action::kVersion) {
    return line;
  }
  absl::StatusOr<LoadedConfig> loaded = Load(given);
  if (!loaded.ok()) return loaded.status();
  line.demo = given.contains("demo");
  line.config = std::move(loaded->config);
  if (given.contains("dump_table")) line.dump_table = given.at("dump_table");
  line.source = given.contains("config") ? given.at("config") : "flags";
  if (line.action == CommandLine::Action::kPrintConfig) {
    line.text = PrintWithOrigins(line.config, line.source, loaded->origins);
  }
  return line;
}

}  // namespace l4lb

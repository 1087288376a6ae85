// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/flags.h"

#include <algorithm>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/kit/bars.h"
#include "tools/kit/flag_values.h"

namespace l4lb::skew {
namespace {

constexpr char kProgram[] = "l4lb-skew";
constexpr int kMostBackends = 100;
constexpr int64_t kLeastMs = 500;  // Of what comes before and after a change.
constexpr const char* kExamples =
    "Examples:\n"
    "  l4lb-skew\n"
    "  l4lb-skew --modes=least_connections,age,client --duration=20s\n"
    "  l4lb-skew --backends=4 --add=2 --remove=1 --remove_at=7s --html=skew.html\n"
    "Modes: round_robin random least_connections p2c maglev ring (layer 4, no age limit), age,\n"
    "rebalance, client (no balancer), layer7 (HAProxy or nghttpx, when one is installed).\n"
    "Exit status: 0 done (claims may hold or not), 1 failed, 2 wrong flags.\n";

const std::map<std::string, Layer7Choice> kLayer7 = {{"auto", Layer7Choice::kAuto},
                                                     {"haproxy", Layer7Choice::kHaproxy},
                                                     {"nghttpx", Layer7Choice::kNghttpx},
                                                     {"none", Layer7Choice::kNone}};

void AddBackends(CLI::App* app, Options* options) {
  app->add_option("--backends", options->backends, "How many there are at the beginning")
      ->check(CLI::Range(1, kMostBackends))
      ->capture_default_str();
  app->add_option("--add", options->added, "How many are added while it runs")
      ->check(CLI::Range(0, kMostBackends))
      ->capture_default_str();
  kit::AddDuration(app, "--add_at", &options->add_at_ms,
                   "When, from the beginning of a mode (default: 3s, or 3/10 of a shorter one)");
  app->add_option("--remove", options->removed, "How many of the first ones are removed later")
      ->check(CLI::Range(0, kMostBackends))
      ->capture_default_str();
  kit::AddDuration(app, "--remove_at", &options->remove_at_ms,
                   "When (default: halfway between --add_at and the end)");
  kit::AddDuration(app, "--service_time", &options->service_ms,
                   "The mean of what a backend takes for a request; it serves one at a time");
}

void AddLoad(CLI::App* app, Options* options) {
  app->add_option("--clients", options->clients, "Each keeps one connection, from its own address")
      ->check(CLI::Range(1, 5000))
      ->capture_default_str();
  app->add_option("--rate", options->rate, "Requests a second of all clients, at random moments")
      ->check(kit::Within(1, 50'000))
      ->capture_default_str();
  kit::AddDuration(app, "--duration", &options->duration_ms, "Of each mode");
  kit::AddDuration(app, "--age", &options->max_connection_age_ms,
                   "max_connection_age of the mode age");
  app->add_option("--seed", options->seed, "Of the moments and service times")
      ->capture_default_str();
}

void AddModes(CLI::App* app, Options* options, std::vector<std::string>* modes) {
  app->add_option("--modes", *modes, "What stands in the middle, one after the other (default all)")
      ->delimiter(',')
      ->type_name("MODE[,MODE]");
  kit::AddChoice(app, "--l7", &options->layer7, kLayer7,
                 "The proxy of the mode layer7 (default auto: what is installed)");
}

void AddOutput(CLI::App* app, Options* options) {
  app->add_flag("--json", options->json, "One JSON object instead of the table");
  app->add_flag("--csv", options->csv, "A line for each mode and backend instead of the table");
  app->add_option("--html", options->html, "Write a page with charts, too")->type_name("FILE");
  app->add_flag("--ascii", options->ascii, "No block characters (as when the locale has no UTF-8)");
}

void TakeModes(const std::vector<std::string>& names, Options* options) {
  for (const auto& [name, mode] : Modes()) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    if (wanted) options->modes.push_back(mode);
  }
  std::sort(options->modes.begin(), options->modes.end());
}

std::string UnknownMode(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (Modes().contains(name)) continue;
    std::vector<std::string> known;
    for (const auto& mode : Modes()) known.push_back(mode.first);
    return absl::StrCat("--modes: '", name, "' is none of ", absl::StrJoin(known, ", "));
  }
  return "";
}

std::string WhatIsWrong(const Options& options) {
  const int64_t end_ms = options.duration_ms;
  if (options.service_ms < 1 || options.service_ms > 10'000)
    return "--service_time: from 1ms to 10s";
  if (end_ms < 2 * kLeastMs || end_ms > 3600'000) return "--duration: from 1s to 1h";
  if (options.added > 0 &&
      (options.add_at_ms < kLeastMs || options.add_at_ms > end_ms - kLeastMs)) {
    return "--add_at: at least half a second after the beginning and before the end";
  }
  if (options.max_connection_age_ms < 100) return "--age: at least 100ms";
  if (options.removed >= options.all_backends() || options.removed > options.backends) {
    return "--remove: only of the first ones, and not all that there are";
  }
  const int64_t added_ms = options.added > 0 ? options.add_at_ms : 0;
  if (options.removed > 0 &&
      (options.remove_at_ms < added_ms + kLeastMs || options.remove_at_ms > end_ms - kLeastMs)) {
    return "--remove_at: at least half a second after --add_at and before the end";
  }
  if (options.json && options.csv) return "--json and --csv: one of the two";
  if (options.modes == std::vector{Mode::kLayer7} && options.layer7 == Layer7Choice::kNone) {
    return "--modes=layer7 needs a proxy, and --l7=none says that there is none";
  }
  return "";
}

// What depends on other flags, where it was not given.
void Default(const CLI::App& app, Options* options) {
  if (app.count("--add_at") == 0) {
    options->add_at_ms = std::min(options->add_at_ms, options->duration_ms * 3 / 10);
    options->add_at_ms = std::max(options->add_at_ms, kLeastMs);
  }
  if (app.count("--remove_at") == 0) {
    const int64_t added_ms = options->added > 0 ? options->add_at_ms : 0;
    options->remove_at_ms = (added_ms + options->duration_ms) / 2;
  }
  options->ascii = options->ascii || kit::NeedsAscii();
}

// What was given, with what follows from it.
kit::CommandLine<Options> Finished(const CLI::App& app, const std::vector<std::string>& modes,
                                   Options options) {
  Default(app, &options);
  TakeModes(modes, &options);
  std::string wrong = UnknownMode(modes);
  if (wrong.empty()) wrong = WhatIsWrong(options);
  if (!wrong.empty()) return {.options = {}, .ending = kit::Wrong(kProgram, wrong)};
  return {.options = std::move(options), .ending = {}};
}

}  // namespace

kit::CommandLine<Options> ParseCommandLine(const std::vector<std::string>& arguments) {
  CLI::App app(
      "Shows how long-lived HTTP/2 connections starve a backend that is added, and what helps",
      kProgram);
  app.footer(kExamples);
  Options options;
  std::vector<std::string> modes;
  AddBackends(&app, &options);
  AddLoad(&app, &options);
  AddModes(&app, &options, &modes);
  AddOutput(&app, &options);
  options.command = kit::CommandText(kProgram, arguments);
  return kit::Parse(&app, arguments, [&] { return Finished(app, modes, options); });
}

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/flags.h"

#include <algorithm>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "maglev/prime.h"

namespace l4lb::lookup {
namespace {

constexpr const char* kProgram = "l4lb-lookup";
constexpr uint32_t kMostNodes = 10'000;
constexpr uint32_t kMostPoints = 1u << 23;  // Of a ring: half of what it can have.
constexpr uint32_t kMostSlots = 1u << 27;
constexpr uint32_t kMostKeys = 100'000'000;
constexpr const char* kExamples =
    "Examples:\n"
    "  l4lb-lookup\n"
    "  l4lb-lookup --quick\n"
    "  l4lb-lookup --nodes=10 --points=64,256 --json\n"
    "  l4lb-lookup --html=lookup.html\n"
    "Exit status: 0 measured (claims may hold or not), 1 failed, 2 wrong flags.\n";

const Effort kQuickEffort = {.keys = 20'000, .rounds = 3, .round_ms = 1, .name_sets = 20};

void Add(CLI::App* app, Options* options) {
  app->add_option("--nodes", options->nodes, "How many nodes (quick: 10)")
      ->delimiter(',')
      ->check(CLI::Range(2u, kMostNodes))
      ->type_name("N[,N]")
      ->capture_default_str();
  app->add_option("--points", options->points,
                  "V, points of the ring for each node (quick: 40,256)")
      ->delimiter(',')
      ->check(CLI::Range(1u, 100'000u))
      ->type_name("V[,V]")
      ->capture_default_str();
  app->add_option("--table_sizes", options->table_sizes, "Slots of Maglev: primes (quick: 65537)")
      ->delimiter(',')
      ->check(CLI::Range(2u, kMostSlots))
      ->type_name("M[,M]")
      ->capture_default_str();
  app->add_option("--keys", options->effort.keys,
                  "Keys that shares and moves are counted on (quick: 20000)")
      ->check(CLI::Range(1'000u, kMostKeys))
      ->capture_default_str();
  app->add_option("--seed", options->seed, "Of the keys")->capture_default_str();
  app->add_flag("--quick", options->quick, "Small sizes and short timings: a second");
  app->add_flag("--json", options->json, "One JSON object instead of the tables");
  app->add_option("--html", options->html, "Write a page with charts, too")->type_name("FILE");
}

// What was not asked for by name is small.
void MakeQuick(const CLI::App& app, Options* options) {
  const uint32_t keys = options->effort.keys;
  options->effort = kQuickEffort;
  if (app.count("--keys") > 0) options->effort.keys = keys;
  if (app.count("--nodes") == 0) options->nodes = {10};
  if (app.count("--points") == 0) options->points = {40, 256};
  if (app.count("--table_sizes") == 0) options->table_sizes = {65537};
}

// In order, each once.
void Tidy(std::vector<uint32_t>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

std::string WhatIsWrong(const Options& options) {
  // One is added, and two are in the cases that have 8, 9 and 10 nodes.
  const uint32_t most = std::max(10u, options.nodes.back() + 1);
  for (const uint32_t size : options.table_sizes) {
    if (!maglev::IsPrime(size)) {
      return absl::StrCat("--table_sizes: ", size, " is not prime; the next prime is ",
                          maglev::NextPrime(size));
    }
    if (size < most) {
      return absl::StrCat("--table_sizes: ", size, " slots are too few for ", most, " nodes");
    }
  }
  for (const uint32_t points : options.points) {
    if (uint64_t{points} * most > kMostPoints) {
      return absl::StrCat("--points: ", points, " points for each of ", most,
                          " nodes are too many; at most ", kMostPoints, " in all");
    }
  }
  return "";
}

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments) {
  CLI::App app(
      "Lookup tables side by side: what a lookup costs, how even the shares are, what moves",
      kProgram);
  app.footer(kExamples);
  Options options;
  Add(&app, &options);
  return kit::Parse(&app, arguments, [&]() -> CommandLine {
    if (options.quick) MakeQuick(app, &options);
    for (auto* numbers : {&options.nodes, &options.points, &options.table_sizes}) Tidy(numbers);
    const std::string wrong = WhatIsWrong(options);
    if (!wrong.empty()) return {.ending = kit::Wrong(kProgram, wrong)};
    return {.options = std::move(options)};
  });
}

}  // namespace l4lb::lookup

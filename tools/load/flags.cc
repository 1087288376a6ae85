// SPDX-License-Identifier: Apache-2.0
#include "tools/load/flags.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "tools/kit/dial.h"
#include "tools/kit/flag_values.h"
#include "tools/load/check_options.h"

namespace l4lb::load {
namespace {

using kit::AddChoice;
using kit::AddDuration;
using kit::AddSize;

constexpr const char* kProgram = "l4lb-load";
constexpr int kMostSources = 60'000;
constexpr const char* kExamples =
    "Examples:\n"
    "  l4lb-load serve --listen=127.0.0.1:9001\n"
    "  l4lb-load echo --target=127.0.0.1:9001 --connections=64\n"
    "  l4lb-load echo --target=127.0.0.1:9001 --connections=64 --rate=20000\n"
    "  l4lb-load bulk --target=127.0.0.1:9001 --direction=both --verify\n"
    "Exit status: 0 done, 1 failed (a byte was wrong, a connection failed), 2 wrong flags.\n";

const std::map<std::string, Mode> kModes = {{"echo", Mode::kEcho},     {"sink", Mode::kSink},
                                            {"source", Mode::kSource}, {"both", Mode::kBoth},
                                            {"answer", Mode::kAnswer}, {"ask", Mode::kAsk}};
const std::map<std::string, Direction> kDirections = {
    {"up", Direction::kUp}, {"down", Direction::kDown}, {"both", Direction::kBoth}};
const std::map<std::string, Closer> kClosers = {{"client", Closer::kClient},
                                                {"backend", Closer::kBackend}};

// The values as CLI11 fills them in, before they become Options.
struct Values {
  std::vector<std::string> addresses;
  int sources = 0;  // 0: the kernel picks.
};

// --- the verbs

void AddCommon(CLI::App* app, Options* options, Values* values) {
  app->add_option("--target", values->addresses, "Where to connect; several take turns")
      ->delimiter(',')
      ->required()
      ->type_name("ADDR[,ADDR]");
  app->add_option("--sources", values->sources,
                  "Connect from so many addresses, 127.0.0.1 and the next ones")
      ->check(CLI::Range(1, kMostSources));
  AddDuration(app, "--duration", &options->duration_ms, "How long to measure");
  AddDuration(app, "--grace", &options->grace_ms,
              "How long to wait at the end for what is under way (churn: 10s)");
  AddDuration(app, "--connect_timeout", &options->connect_timeout_ms, "For each connection");
  app->add_option("--threads", options->threads, "Threads, each with its part of the connections")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app->add_flag("--ask", options->ask, "The backend is `l4lb-load serve --mode=ask`");
  app->add_flag("--json", options->json, "One JSON object instead of the table");
  app->add_flag("--quiet", options->quiet, "No table and no progress line");
}

void AddConnections(CLI::App* app, const std::string& name, Options* options) {
  app->add_option(name, options->connections, "How many at the same time")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
}

void AddCount(CLI::App* app, Options* options, const std::string& what) {
  app->add_option("--count", options->count,
                  absl::StrCat("End after so many ", what,
                               "; --duration then ends it at the latest, "
                               "without one after a minute"))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
}

void AddEcho(CLI::App* app, Options* options) {
  AddConnections(app, "--connections", options);
  AddSize(app, "--size", &options->size, "Bytes of a message");
  app->add_option("--rate", options->rate,
                  "Messages a second over all, each at its time, and latency counted from that "
                  "time; without it each connection sends when it has its answer")
      ->check(kit::Within(0.001, 1e8));
  AddDuration(app, "--warmup", &options->warmup_ms, "Before measuring");
  AddCount(app, options, "round trips");
  app->add_flag("--verify", options->verify, "Check every byte that comes back");
  app->add_flag("--reconnect", options->reconnect, "Open lost connections again");
}

void AddConnect(CLI::App* app, Options* options) {
  AddConnections(app, "--concurrency", options);
  AddChoice(app, "--close", &options->closer, kClosers, "Who closes first (default backend)");
  AddSize(app, "--size", &options->size, "Bytes of the request and of the answer");
  AddDuration(app, "--warmup", &options->warmup_ms, "Before measuring");
  AddCount(app, options, "connections");
  app->add_flag("--verify", options->verify, "Check every byte of the answers");
  app->add_flag("--linger_reset", options->linger_reset,
                "Close by reset (SO_LINGER), which leaves no TIME_WAIT");
}

void AddBulk(CLI::App* app, Options* options) {
  AddConnections(app, "--streams", options);
  AddChoice(app, "--direction", &options->direction, kDirections,
            "Which way the bytes go (default up)");
  AddDuration(app, "--warmup", &options->warmup_ms, "Before measuring");
  AddSize(app, "--bytes", &options->bytes, "End each stream after so many bytes; 0: never");
  app->add_flag("--verify", options->verify, "Check every byte where it arrives");
}

void AddIdle(CLI::App* app, Options* options) {
  AddConnections(app, "--connections", options);
  AddDuration(app, "--hold", &options->duration_ms, "How long they are silent");
  AddSize(app, "--size", &options->size,
          "Bytes of a message that comes back at the beginning and at the end; 0: none");
  app->add_flag("--stay", options->stay,
                "Print `ready` when all are open; keep them until SIGTERM or the end of stdin");
}

void AddChurn(CLI::App* app, Options* options) {
  AddConnections(app, "--connections", options);
  app->add_option("--seed", options->seed, "What the sessions do; random when not given");
  AddCount(app, options, "sessions");
}

void AddServe(CLI::App* app, ServeOptions* options, Values* values) {
  app->add_option("--listen", values->addresses, "Where to listen; port 0 asks the kernel")
      ->delimiter(',')
      ->required()
      ->type_name("ADDR[,ADDR]");
  AddChoice(app, "--mode", &options->mode, kModes,
            "What to do with a connection (default echo); ask: what the client says first");
  AddSize(app, "--size", &options->size, "answer: bytes of the request and of the answer");
  app->add_flag("--close_first", options->close_first, "answer: close after the first answer");
  app->add_option("--threads", options->threads, "Threads, between which the kernel chooses")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

struct Verb {
  const char* name;
  const char* help;
  void (*add)(CLI::App* app, Options* options);
};

constexpr Verb kVerbs[] = {
    {"echo", "Round trips over lasting connections", AddEcho},
    {"connect", "New connections, each with one request and one answer", AddConnect},
    {"bulk", "As many bytes as there is room for", AddBulk},
    {"idle", "Connections that are open and silent", AddIdle},
    {"churn", "Sessions that behave badly, every byte checked", AddChurn},
};

// A duration that only --count is meant to end.
constexpr int64_t kLongestCountMs = 60'000;
constexpr int64_t kGraceOfChurnMs = 10'000;  // Slow readers take their time.

CommandLine Wrong(const std::string& verb, const std::string& what) {
  return {.ending = kit::Wrong(kProgram, absl::StrCat(verb, ": ", what))};
}

// Options as the verb `app` was given them.
CommandLine Finished(const CLI::App& app, const Values& values, Options options) {
  options.work = app.get_name();
  options.targets = kit::ParseAddresses("--target", values.addresses);
  options.sources = kit::LoopbackAddresses(values.sources);
  const bool has_warmup = app.get_option_no_throw("--warmup") != nullptr;
  const bool counts = options.count > 0 || options.bytes > 0;
  if (!has_warmup || (counts && app.count("--warmup") == 0)) options.warmup_ms = 0;
  if (counts && app.count("--duration") == 0) options.duration_ms = kLongestCountMs;
  if (options.bytes > 0) options.count = options.connections;
  options.threads = std::min(options.threads, options.connections);
  if (options.count > 0)
    options.threads = static_cast<int>(std::min<int64_t>(options.threads, options.count));
  if (options.work == "churn" && app.count("--grace") == 0) options.grace_ms = kGraceOfChurnMs;
  if (options.work == "churn" && app.count("--seed") == 0) options.seed = std::random_device{}();
  const std::string wrong = WhatIsWrong(options);
  if (!wrong.empty()) return Wrong(options.work, wrong);
  return {.options = std::move(options)};
}

CommandLine Finished(const Values& values, ServeOptions options) {
  options.listen = kit::ParseAddresses("--listen", values.addresses);
  const std::string wrong = WhatIsWrong(options);
  if (!wrong.empty()) return Wrong("serve", wrong);
  return {.options = std::move(options)};
}

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments) {
  CLI::App app("Plain TCP load: round trips, new connections, bulk, idle and unruly sessions",
               kProgram);
  app.require_subcommand(1);
  app.footer(kExamples);
  Values values;
  Options options;
  ServeOptions serve;
  CLI::App* serve_app = app.add_subcommand("serve", "The backend: echo, sink, source, answer");
  AddServe(serve_app, &serve, &values);
  for (const Verb& verb : kVerbs) {
    CLI::App* verb_app = app.add_subcommand(verb.name, verb.help);
    AddCommon(verb_app, &options, &values);
    verb.add(verb_app, &options);
  }
  return kit::Parse(&app, arguments, [&] {
    if (serve_app->parsed()) return Finished(values, serve);
    return Finished(*app.get_subcommands().front(), values, options);
  });
}

}  // namespace l4lb::load

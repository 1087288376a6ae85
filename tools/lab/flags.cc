// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/flags.h"

#include <string_view>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/config/admin_address.h"
#include "tools/kit/flag_values.h"
#include "tools/lab/scenes.h"
#include "tools/lab/tcp_backends.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  l4lb-lab run --scene=slow\n"
    "  l4lb-lab simulate --scene=slow --claims\n"
    "  l4lb-lab simulate --backends=1000 --utilisation=90 --requests=10000000 --seeds=1\n"
    "  l4lb-lab simulate --scene=herd --html=herd.html\n"
    "  l4lb-lab serve\n"
    "Exit status: 0 done (claims may hold or not), 1 failed, 2 wrong flags.\n";

constexpr const char* kDefaultListen = "127.0.0.1:9910";
constexpr int kMostRealBalancers = 64;
constexpr int kMostRealRate = 4'000;    // Requests a second, each on a connection of its own.
constexpr int kFewestClaimSeeds = 100;  // The 1st percentile of fewer is the least of them.

// Scenes set what the other flags then change, so they are looked for first.
std::string SceneIn(const std::vector<std::string>& arguments) {
  constexpr std::string_view kFlag = "--scene";
  std::string scene;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == kFlag && i + 1 < arguments.size()) scene = arguments[i + 1];
    if (absl::StartsWith(argument, "--scene=")) scene = argument.substr(kFlag.size() + 1);
  }
  return scene;
}

bool IsPublished(const std::string& scene) {
  for (const Published& published : PublishedFigures()) {
    if (scene == published.scene) return true;
  }
  return false;
}

// `has`: the verb's own scenes.
void AddScene(CLI::App* app, bool Scene::*has, std::string* scene) {
  const auto parse = [scene, has](const std::string& name) {
    const Scene* found = FindScene(name);
    if (found == nullptr || !(found->*has)) {
      throw CLI::ValidationError("--scene",
                                 absl::StrCat("'", name, "' is none of ", SceneNames(has)));
    }
    *scene = name;
  };
  app->add_option_function<std::string>("--scene", parse, "Where to begin; other flags change it")
      ->type_name("NAME");
  std::string text = "Scenes:\n";
  for (const Scene& known : Scenes()) {
    if (!(known.*has)) continue;
    absl::StrAppendFormat(&text, "  %-15s%s\n", known.name, known.text);
  }
  app->footer(text);
}

void AddEffort(CLI::App* app, Effort* effort) {
  app->add_option("--seeds", effort->seeds, "Runs of each policy, each with another seed")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app->add_option("--seed", effort->first_seed, "The first of them")->capture_default_str();
  app->add_option("--threads", effort->threads, "At the same time; 0: as there are cores")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
}

void AddOutput(CLI::App* app, Output* output) {
  app->add_flag("--json", output->json, "One JSON object instead of the tables");
  app->add_option("--html", output->html, "Write a page with charts, too")->type_name("FILE");
  app->add_flag("--ascii", output->ascii, "Bars without block characters");
}

CommandLine Wrong(const std::string& verb, const std::string& what) {
  return {.ending = kit::Wrong(kProgram, absl::StrCat(verb, ": ", what))};
}

// The verb `simulate` while it is being read.
class Simulate {
 public:
  Simulate(CLI::App* app, const std::vector<std::string>& arguments) {
    const Scene* scene = FindScene(SceneIn(arguments));
    if (scene != nullptr) options_.world = scene->world;
    values_ = ValuesOf(options_.world);
    AddScene(app, &Scene::simulated, &options_.scene);
    AddWorld(app, &options_.world, &values_);
    AddQueuePer(app, &options_.world.queue_per);
    AddSimulatedWorld(app, &options_.world, &values_);
    AddPolicies(app, &options_.policies);
    AddEffort(app, &options_.effort);
    app->add_flag("--claims", options_.claims,
                  "What is published about the scene beside 400 runs of the same length");
    app->add_option("--claim_seeds", options_.claim_seeds, "How many runs that are")
        ->check(CLI::Range(kFewestClaimSeeds, 100'000))
        ->capture_default_str();
    AddOutput(app, &options_.output);
  }

  CommandLine Finish() {
    const std::string wrong = Complete(values_, &options_.world);
    if (!wrong.empty()) return Wrong("simulate", wrong);
    if (options_.claims && !IsPublished(options_.scene)) {
      return Wrong("simulate",
                   "--claims: nothing is published but about --scene=equal, slow or "
                   "sliders");
    }
    if (options_.claims && !(options_.world == FindScene(options_.scene)->world)) {
      return Wrong("simulate",
                   "--claims: what is published is about the scene as it is; without flags that "
                   "change it");
    }
    return {.options = std::move(options_)};
  }

 private:
  SimulateOptions options_;
  WorldValues values_;
};

// What shows the point of a scene in reasonable time.
std::vector<PolicyKind> PoliciesOf(const std::string& scene) {
  if (scene == "herd") return {PolicyKind::kLeastConnections, PolicyKind::kP2c};
  if (scene == "slow-database") return {PolicyKind::kLeastConnections};
  return kUsualPolicies;
}

// The verb `run` while it is being read.
class Run {
 public:
  Run(CLI::App* app, const std::vector<std::string>& arguments) {
    const Scene* scene = FindScene(SceneIn(arguments));
    if (scene == nullptr) scene = FindScene(options_.scene);
    options_.world = scene->world;
    values_ = ValuesOf(options_.world);
    options_.policies = PoliciesOf(scene->name);
    AddScene(app, &Scene::on_tcp, &options_.scene);
    AddWorld(app, &options_.world, &values_);
    AddQueuePers(app, &options_.queue_pers);
    AddPolicies(app, &options_.policies);
    app->add_option("--engine", options_.engine, "What moves the bytes: auto, epoll or io_uring")
        ->check(CLI::IsMember({"auto", "epoll", "io_uring"}))
        ->capture_default_str();
    app->add_option("--seeds", options_.seeds, "Runs of each, each with another seed")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    app->add_option("--seed", options_.first_seed, "The first of them")->capture_default_str();
    AddOutput(app, &options_.output);
  }

  CommandLine Finish() {
    std::string wrong = Complete(values_, &options_.world);
    if (wrong.empty()) wrong = WhatIsTooMuch();
    if (wrong.empty()) wrong = WhatTheSceneHasNot();
    if (!wrong.empty()) return Wrong("run", wrong);
    return {.options = std::move(options_)};
  }

 private:
  std::string WhatTheSceneHasNot() const {
    if (options_.scene == "slow-database" && options_.policies.size() > 1) {
      return "--policies: --scene=slow-database compares checks, under one policy";
    }
    if (options_.scene == "herd" && options_.world.balancers < 2) {
      return "--balancers: --scene=herd compares one with several";
    }
    return "";
  }
  // One machine plays all parts.
  std::string WhatIsTooMuch() const {
    const World& world = options_.world;
    if (world.all_backends() > TcpBackends::kMost) {
      return absl::StrCat("--backends: at most ", TcpBackends::kMost, " with those that join");
    }
    if (world.balancers > kMostRealBalancers) {
      return absl::StrCat("--balancers: at most ", kMostRealBalancers);
    }
    if (world.rate() > kMostRealRate) {
      return absl::StrFormat(
          "%.0f connections/s are too many for one machine that plays all "
          "parts; at most %d: fewer --backends, or a longer --mean",
          world.rate(), kMostRealRate);
    }
    return "";
  }

  RunOptions options_;
  WorldValues values_;
};

CommandLine FinishServe(const std::string& listen) {
  const SocketAddress address = kit::ParseAddresses("--listen", {listen}).front();
  if (!IsLoopback(address)) {
    return Wrong("serve", absl::StrCat("--listen: ", listen,
                                       " can be reached by others; the page has no access control: "
                                       "127.0.0.1:PORT or [::1]:PORT"));
  }
  return {.options = ServeOptions{.listen = address}};
}

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments) {
  CLI::App app("Which policy, and why: experiments on how balancers pick backends", kProgram);
  app.require_subcommand(1);
  app.footer(kExamples);
  Simulate simulate(
      app.add_subcommand("simulate", "Discrete events: millions of requests in seconds"),
      arguments);
  CLI::App* run_app = app.add_subcommand("run", "Real TCP through the real balancer");
  Run run(run_app, arguments);
  CLI::App* serve_app = app.add_subcommand("serve", "A page with sliders over the simulator");
  std::string listen = kDefaultListen;
  serve_app->add_option("--listen", listen, "Where; loopback only, and port 0 asks the kernel")
      ->type_name("ADDR")
      ->capture_default_str();
  return kit::Parse(&app, arguments, [&] {
    if (serve_app->parsed()) return FinishServe(listen);
    return run_app->parsed() ? run.Finish() : simulate.Finish();
  });
}

}  // namespace l4lb::lab

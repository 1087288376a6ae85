// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/world_flags.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "l4lb/config/suggest.h"
#include "tools/kit/flag_values.h"

namespace l4lb::lab {
namespace {

constexpr int kMostBackends = 10'000;
constexpr int kMostBalancers = 1'000;
constexpr int kMostConnections = 1'000'000;
constexpr double kMostRequests = 2e9;

constexpr PolicyKind kAll[] = {PolicyKind::kRoundRobin,       PolicyKind::kRandom,
                               PolicyKind::kLeastConnections, PolicyKind::kP2c,
                               PolicyKind::kMaglev,           PolicyKind::kRing};

std::vector<PolicyKind> PoliciesNamed(const std::vector<std::string>& names) {
  std::vector<PolicyKind> policies;
  std::vector<std::string> known = {"all"};
  for (const PolicyKind kind : kAll) known.emplace_back(Name(kind));
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw CLI::ValidationError("--policies", absl::StrCat("'", name, "' is none of ",
                                                            JoinNames(known, "or", known.size())));
    }
    if (name == "all") return {std::begin(kAll), std::end(kAll)};
    policies.push_back(kAll[found - known.begin() - 1]);
  }
  return policies;
}

void AddBackends(CLI::App* app, World* world, WorldValues* values) {
  app->add_option("--backends", world->backends, "How many; each serves one request at a time")
      ->check(CLI::Range(1, kMostBackends))
      ->capture_default_str();
  app->add_option("--utilisation", values->utilisation_percent,
                  "How busy all of them are together, in percent")
      ->check(kit::Within(0.1, 200))
      ->capture_default_str();
  app->add_option("--slow", world->slow, "How many of them are slow")
      ->check(CLI::Range(0, kMostBackends))
      ->capture_default_str();
  app->add_option("--factor", world->slow_factor, "How many times slower these are")
      ->check(kit::Within(1, 1'000))
      ->capture_default_str();
  kit::AddDuration(app, "--mean", &values->mean_ms, "Of a request at one that is not slow");
  kit::AddChoice(app, "--service", &world->service, kServices,
                 "How the time of a request is distributed (default exponential)");
  app->add_option("--shape", world->shape,
                  "Of pareto: the less, the heavier the tail; up to 2 the variance is infinite")
      ->check(kit::Within(1.05, 100))
      ->capture_default_str();
}

void AddBalancers(CLI::App* app, World* world) {
  app->add_option("--balancers", world->balancers, "Each knows only what it has sent itself")
      ->check(CLI::Range(1, kMostBalancers))
      ->capture_default_str();
  app->add_option("--limit", world->limit,
                  "Connections to a backend, of each balancer (max_connections); 0: no limit")
      ->check(CLI::Range(0, kMostConnections))
      ->capture_default_str();
}

void AddJoining(CLI::App* app, World* world) {
  app->add_option("--joining", world->joining, "Further backends that join later")
      ->check(CLI::Range(0, kMostBackends))
      ->capture_default_str();
  kit::AddDuration(app, "--join_at", &world->join_ms, "When, after the warm-up");
}

void AddConnections(CLI::App* app, World* world) {
  app->add_option("--connections", world->connections,
                  "Lasting ones, which carry all requests; 0: every request has its own")
      ->check(CLI::Range(0, kMostConnections))
      ->capture_default_str();
  app->add_option("--requests_each", world->requests_each,
                  "Of a lasting connection before it is opened anew, in the mean; 0: for ever")
      ->check(CLI::Range(0, kMostConnections))
      ->capture_default_str();
  kit::AddDuration(app, "--slow_start", &world->slow_start_ms,
                   "How long those that join get less than their share");
}

}  // namespace

const std::map<std::string, Service> kServices = {{"exponential", Service::kExponential},
                                                  {"constant", Service::kConstant},
                                                  {"pareto", Service::kPareto}};
const std::map<std::string, QueuePer> kQueuePers = {{"backend", QueuePer::kBackend},
                                                    {"pool", QueuePer::kPool}};

std::string NameOf(Service service) {
  for (const auto& [name, value] : kServices) {
    if (value == service) return name;
  }
  return "";
}

std::string NameOf(QueuePer queue_per) {
  return queue_per == QueuePer::kBackend ? "backend" : "pool";
}

WorldValues ValuesOf(const World& world) {
  return {.utilisation_percent = std::round(world.utilisation * 1e6) / 1e4,
          .mean_ms = static_cast<int64_t>(world.mean_ms)};
}

void AddWorld(CLI::App* app, World* world, WorldValues* values) {
  AddBackends(app, world, values);
  AddBalancers(app, world);
  AddJoining(app, world);
  kit::AddDuration(app, "--duration", &world->duration_ms, "How long requests come");
  kit::AddDuration(app, "--warmup", &world->warmup_ms, "Before that, and not measured");
}

void AddSimulatedWorld(CLI::App* app, World* world, WorldValues* values) {
  AddConnections(app, world);
  app->add_option("--clients", world->clients,
                  "Addresses that hash policies see; 0: every connection has its own")
      ->check(CLI::Range(0, kMostConnections))
      ->capture_default_str();
  app->add_option("--requests", values->requests,
                  "Instead of --duration: as long as it takes for about so many")
      ->check(kit::Within(1, kMostRequests));
}

void AddQueuePer(CLI::App* app, QueuePer* queue_per) {
  kit::AddChoice(app, "--queue_per", queue_per, kQueuePers,
                 "Where a connection waits when there are as many (default backend)");
}

void AddQueuePers(CLI::App* app, std::vector<QueuePer>* queue_pers) {
  const auto parse = [queue_pers](const std::vector<std::string>& names) {
    queue_pers->clear();
    for (const std::string& name : names) {
      const auto found = kQueuePers.find(name);
      if (found == kQueuePers.end()) {
        throw CLI::ValidationError("--queue_per",
                                   absl::StrCat("'", name, "' is none of backend or pool"));
      }
      queue_pers->push_back(found->second);
    }
  };
  app->add_option_function<std::vector<std::string>>(
         "--queue_per", parse,
         "Where a connection waits (default backend,pool: one after the other)")
      ->delimiter(',')
      ->type_name("backend|pool");
}

void AddPolicies(CLI::App* app, std::vector<PolicyKind>* policies) {
  app->add_option_function<std::vector<std::string>>(
         "--policies",
         [policies](const std::vector<std::string>& names) { *policies = PoliciesNamed(names); },
         "Which; or `all` (default round_robin,random,least_connections,p2c)")
      ->delimiter(',')
      ->type_name("NAME[,NAME]");
}

// Nothing that is measured in nanoseconds overflows, whatever is drawn.
constexpr int64_t kLongestMs = 24 * 3'600'000;
constexpr int64_t kMostDays = 100;

std::string Complete(const WorldValues& values, World* world) {
  world->utilisation = values.utilisation_percent / 100;
  world->mean_ms = static_cast<double>(values.mean_ms);
  if (values.mean_ms < 1) return "--mean: 0 is too short; at least 1ms";
  if (world->mean_ms * world->slow_factor > kLongestMs) {
    return "--mean: at most a day, also of those that are --factor times slower";
  }
  if (world->slow > world->backends) {
    return absl::StrCat("--slow: ", world->slow, " of ", world->backends,
                        " backends cannot be slow; at most ", world->backends);
  }
  if (world->all_backends() > kMostBackends) {
    return absl::StrCat("--joining: at most ", kMostBackends, " backends with those that join");
  }
  if (values.requests > 0) {
    world->duration_ms =
        static_cast<int64_t>(1'000 * static_cast<double>(values.requests) / world->rate()) + 1;
  }
  if (world->duration_ms < 1) return "--duration: 0 is too short; at least 1ms";
  for (const int64_t ms :
       {world->duration_ms, world->warmup_ms, world->join_ms, world->slow_start_ms}) {
    if (ms > kMostDays * kLongestMs) return "--duration and all other times: at most 100 days";
  }
  const double seconds = static_cast<double>(world->duration_ms + world->warmup_ms) / 1'000;
  if (world->rate() * seconds > kMostRequests) {
    return absl::StrCat("--duration: ", world->rate() * seconds, " requests are too many; at most ",
                        kMostRequests);
  }
  return "";
}

std::string SceneNames(bool Scene::*has) {
  std::vector<std::string> names;
  for (const Scene& scene : Scenes()) {
    if (scene.*has) names.emplace_back(scene.name);
  }
  return JoinNames(names, "or", names.size());
}

}  // namespace l4lb::lab

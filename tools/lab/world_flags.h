// SPDX-License-Identifier: Apache-2.0
//
// The flags that describe a World, and the names of its parts; the page of `serve` reads the same
// names from its address.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/lab/options.h"
#include "tools/lab/scenes.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

extern const std::map<std::string, Service> kServices;
extern const std::map<std::string, QueuePer> kQueuePers;
std::string NameOf(Service service);
std::string NameOf(QueuePer queue_per);

/// What flags give in other units than a World has.
struct WorldValues {
  double utilisation_percent = 0;
  int64_t mean_ms = 0;
  int64_t requests = 0;  // 0: the duration counts.
};

WorldValues ValuesOf(const World& world);

/// Backends, balancers and how long; `*world` and `*values` have the defaults.
void AddWorld(CLI::App* app, World* world, WorldValues* values);
/// What is simulated only: lasting connections, clients, slow start, a number of requests.
void AddSimulatedWorld(CLI::App* app, World* world, WorldValues* values);
/// --queue_per of one World, or of several in a row.
void AddQueuePer(CLI::App* app, QueuePer* queue_per);
void AddQueuePers(CLI::App* app, std::vector<QueuePer>* queue_pers);

/// --policies: names, or `all`.
void AddPolicies(CLI::App* app, std::vector<PolicyKind>* policies);

/// Puts `values` into `*world`.  Returns what is wrong with it, or nothing.
std::string Complete(const WorldValues& values, World* world);

/// The names of the scenes that a verb has: "equal, slow or herd".
std::string SceneNames(bool Scene::*has);

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// What l4lb-lab is asked to do.
#pragma once

#include <string>
#include <vector>

#include "l4lb/balance/policy.h"
#include "l4lb/net/socket_address.h"
#include "tools/lab/survey.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

/// The policies that differ in how they look at load; the hash policies are only shown if asked
/// for.
inline const std::vector<PolicyKind> kUsualPolicies = {
    PolicyKind::kRoundRobin, PolicyKind::kRandom, PolicyKind::kLeastConnections, PolicyKind::kP2c};

/// How figures are shown.
struct Output {
  bool json = false;
  bool ascii = false;   // No other characters, whatever the terminal can show.
  std::string html;     // Where to write the page; empty: nowhere.
  std::string command;  // What repeats it.
};

struct SimulateOptions {
  std::string scene;  // Where the world began; empty: the defaults.
  World world;
  std::vector<PolicyKind> policies = kUsualPolicies;
  Effort effort;
  bool claims = false;
  int claim_seeds = 400;
  Output output;
};

/// Over real TCP.
struct RunOptions {
  std::string scene = "slow";
  World world;
  std::vector<PolicyKind> policies;
  std::vector<QueuePer> queue_pers = {QueuePer::kBackend, QueuePer::kPool};
  std::string engine = "auto";
  int seeds = 1;
  uint64_t first_seed = 1;
  Output output;
};

/// The page with sliders.
struct ServeOptions {
  SocketAddress listen;
};

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
//
// Worlds with a name, and what is published about some of them: an experiment with four servers
// (Node.js processes on a laptop, two runs of 8 s each) and a simulation of the same.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "l4lb/balance/policy.h"
#include "tools/lab/world.h"

namespace l4lb::lab {

struct Scene {
  const char* name;
  const char* text;  // One line.
  World world;
  bool simulated = true;
  bool on_tcp = true;
};

absl::Span<const Scene> Scenes();
/// Null when there is none of this name.
const Scene* FindScene(const std::string& name);

/// What of a run is meant.
enum class Figure { kP50, kP99, kMax, kSlowShare };
const char* NameOf(Figure figure);

/// What was published about a policy in a scene: the range over the runs.
struct Published {
  const char* scene;
  PolicyKind policy;
  Figure figure;
  double least;  // ms, or percent.
  double most;
  double rounding;  // The figures are rounded to this.
};

/// How long the published runs were.
constexpr int64_t kPublishedRunMs = 8'000;

absl::Span<const Published> PublishedFigures();

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/claims.h"

#include <algorithm>
#include <string_view>

namespace l4lb::lab {
namespace {

bool IsAbout(const Published& published, const Scene& scene) {
  return std::string_view(published.scene) == scene.name;
}

std::vector<PolicyKind> PoliciesOf(const Scene& scene) {
  std::vector<PolicyKind> policies;
  for (const Published& published : PublishedFigures()) {
    if (!IsAbout(published, scene)) continue;
    if (std::find(policies.begin(), policies.end(), published.policy) != policies.end()) continue;
    policies.push_back(published.policy);
  }
  return policies;
}

std::vector<double> ValuesOf(Figure figure, const World& world, const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.runs) values.push_back(ValueOf(figure, world, outcome));
  return values;
}

}  // namespace

std::vector<Claim> CheckClaims(const Scene& scene, int seeds, int threads,
                               const std::function<void(int, int)>& progress) {
  World world = scene.world;
  world.duration_ms = kPublishedRunMs;
  World steady_world = world;
  steady_world.duration_ms = kSteadyRunMs;
  const std::vector<PolicyKind> policies = PoliciesOf(scene);
  const auto rows = RunAll(world, policies, {.seeds = seeds, .threads = threads}, progress);
  const auto steady = RunAll(steady_world, policies, {.seeds = 1, .threads = threads}, progress);
  std::vector<Claim> claims;
  for (const Published& published : PublishedFigures()) {
    if (!IsAbout(published, scene)) continue;
    const auto found = std::find(policies.begin(), policies.end(), published.policy);
    const auto place = static_cast<size_t>(found - policies.begin());
    const auto values = ValuesOf(published.figure, world, rows[place]);
    claims.push_back({.published = published,
                      .low = QuantileOf(values, 0.01),
                      .high = QuantileOf(values, 0.99),
                      .steady = ValueOf(published.figure, world, steady[place].runs.front()),
                      .growing = IsGrowing(steady[place])});
  }
  return claims;
}

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tools/kit/json_dump.h"
#include "tools/lab/report.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct NamedShare {
  const char* name;
  double share;
};

constexpr NamedShare kQuantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"max", 1}};

Json RunJson(const World& world, const Outcome& outcome) {
  Json latency = {{"mean", outcome.latency_ns.mean() / 1e6}};
  for (const NamedShare& quantile : kQuantiles) {
    latency[quantile.name] = QuantileMs(outcome, quantile.share);
  }
  Json shares = Json::array();
  for (int i = 0; i < world.all_backends(); ++i) shares.push_back(outcome.ShareOf(i));
  return {{"requests", outcome.latency_ns.count()},
          {"waited", outcome.waited},
          {"growing", outcome.growing},
          {"latency_ms", latency},
          {"shares", shares},
          {"loads", outcome.load},
          {"at_least", outcome.at_least}};
}

Json ExpectedJson(const Expected& expected) {
  Json json = {{"name", expected.name}, {"mean", expected.mean_ms}};
  if (expected.p50_ms.has_value()) json["p50"] = *expected.p50_ms;
  if (expected.p99_ms.has_value()) json["p99"] = *expected.p99_ms;
  return json;
}

Json RowJson(const World& world, const Row& row) {
  Json json = {{"policy", Name(row.policy)}, {"growing", IsGrowing(row)}};
  for (const NamedShare& quantile : kQuantiles) {
    std::vector<double> values;
    for (const Outcome& outcome : row.runs) values.push_back(QuantileMs(outcome, quantile.share));
    json["median_ms"][quantile.name] = SpreadOf(values).median;
  }
  if (row.expected.has_value()) json["theory_ms"] = ExpectedJson(*row.expected);
  json["runs"] = Json::array();
  for (const Outcome& outcome : row.runs) json["runs"].push_back(RunJson(world, outcome));
  return json;
}

Json ClaimJson(const Claim& claim) {
  return {{"policy", Name(claim.published.policy)},
          {"figure", NameOf(claim.published.figure)},
          {"published", {claim.published.least, claim.published.most}},
          {"simulated", {claim.low, claim.high}},
          {"steady", claim.growing ? Json() : Json(claim.steady)},
          {"holds", claim.holds()}};
}

}  // namespace

Json WorldJson(const World& world) {
  return {{"backends", world.backends},
          {"slow", world.slow},
          {"factor", world.slow_factor},
          {"utilisation_percent", ValuesOf(world).utilisation_percent},
          {"mean_ms", world.mean_ms},
          {"service", NameOf(world.service)},
          {"shape", world.shape},
          {"balancers", world.balancers},
          {"limit", world.limit},
          {"queue_per", NameOf(world.queue_per)},
          {"clients", world.clients},
          {"connections", world.connections},
          {"requests_each", world.requests_each},
          {"joining", world.joining},
          {"join_at_ms", world.join_ms},
          {"slow_start_ms", world.slow_start_ms},
          {"duration_ms", world.duration_ms},
          {"warmup_ms", world.warmup_ms},
          {"rate", world.rate()}};
}

std::string JsonText(const SimulateOptions& options, const Findings& findings) {
  Json json = {{"scene", options.scene},
               {"world", WorldJson(options.world)},
               {"seeds", options.effort.seeds},
               {"first_seed", options.effort.first_seed},
               {"policies", Json::array()}};
  for (const Row& row : findings.rows) json["policies"].push_back(RowJson(options.world, row));
  if (options.claims) json["claim_seeds"] = options.claim_seeds;
  for (const Claim& claim : findings.claims) json["claims"].push_back(ClaimJson(claim));
  return kit::Dump(json) + "\n";
}

}  // namespace l4lb::lab

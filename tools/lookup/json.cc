// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/json.h"

#include "tools/lookup/report.h"

namespace l4lb::lookup {
namespace {

using Json = nlohmann::ordered_json;

Json RangeOf(const Timing& timing) { return {timing.least, timing.most}; }

Json JsonOf(const std::vector<Change>& changes) {
  Json json = Json::object();
  for (const Change& change : changes) {
    Json& member = json[change.name];
    if (!change.movement.has_value()) continue;
    member = {{"moved", change.movement->moved},
              {"ideal", change.movement->ideal},
              {"extra", change.movement->extra}};
  }
  return json;
}

Json JsonOf(const Row& row) {
  return {{"algorithm", row.algorithm},
          {"table_size", row.table_size},
          {"points", row.points},
          {"nodes", row.nodes},
          {"lookup_ns", row.lookup_ns.median},
          {"lookup_ns_range", RangeOf(row.lookup_ns)},
          {"latency_ns", row.latency_ns.median},
          {"latency_ns_range", RangeOf(row.latency_ns)},
          {"build_ms", row.build_ms.median},
          {"build_ms_range", RangeOf(row.build_ms)},
          {"memory_bytes", row.memory_bytes},
          {"peak_to_mean", row.peak_to_mean},
          {"stddev", row.stddev},
          {"disruption", JsonOf(row.disruption)}};
}

Json JsonOf(const Claim& claim) {
  return {
      {"claim", claim.claim},         {"expected", claim.expected},
      {"measured", claim.measured},   {"holds", claim.holds()},
      {"unit", claim.unit},           {"rule", claim.rule == Rule::kAbout ? "about" : "at_most"},
      {"tolerance", claim.tolerance}, {"note", claim.note}};
}

}  // namespace

Json JsonOf(const Options& options, const Survey& survey) {
  Json json = {{"parameters",
                {{"nodes", options.nodes},
                 {"points", options.points},
                 {"table_sizes", options.table_sizes},
                 {"keys", options.effort.keys},
                 {"seed", options.seed},
                 {"rounds", options.effort.rounds},
                 {"round_ms", options.effort.round_ms},
                 {"name_sets", options.effort.name_sets},
                 {"threads", 1}}},
               {"empty",
                {{"lookup_ns", survey.empty_lookup_ns.median},
                 {"latency_ns", survey.empty_latency_ns.median}}},
               {"rows", Json::array()},
               {"claims", Json::array()}};
  for (const Row& row : survey.rows) json["rows"].push_back(JsonOf(row));
  for (const Claim& claim : survey.claims) json["claims"].push_back(JsonOf(claim));
  return json;
}

std::string JsonText(const Options& options, const Survey& survey) {
  return JsonOf(options, survey).dump() + "\n";
}

}  // namespace l4lb::lookup

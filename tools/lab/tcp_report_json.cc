// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "tools/kit/json_dump.h"
#include "tools/lab/report.h"
#include "tools/lab/tcp_report.h"
#include "tools/lab/tcp_verdicts.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

using Json = nlohmann::ordered_json;

Json QuantilesJson(const Histogram& latency_ns) {
  const auto ms = [&](double share) {
    return static_cast<double>(latency_ns.Quantile(share)) / 1e6;
  };
  return {{"mean", latency_ns.mean() / 1e6},
          {"p50", ms(0.5)},
          {"p90", ms(0.9)},
          {"p99", ms(0.99)},
          {"p99_9", ms(0.999)},
          {"max", ms(1)}};
}

Json PartJson(const Seen::Part& part) {
  return {{"answered", part.latency_ns.count()},
          {"failed", part.failed},
          {"requests", part.requests},
          {"latency_ms", QuantilesJson(part.latency_ns)}};
}

Json RunJson(const TrialOutcome& run) {
  Json json = PartJson(run.seen.Whole());
  json["parts"] = Json::array();
  for (const Seen::Part& part : run.seen.parts) json["parts"].push_back(PartJson(part));
  json["disturbed"] = run.disturbed();
  json["first_failure"] = run.seen.first_failure;
  json["late_ms"] = QuantilesJson(run.seen.late_ns);
  json["timer_error_ms"] = QuantilesJson(run.timer_error_ns);
  return json;
}

Json RowJson(const TcpRow& row) {
  Json json = {{"group", row.group},
               {"label", row.label},
               {"policy", Name(row.setup.policy)},
               {"queue_per", NameOf(row.world.queue_per)},
               {"balancers", row.world.balancers},
               {"growing", row.growing()},
               {"runs", Json::array()},
               {"simulated", Json::array()}};
  for (const TrialOutcome& run : row.runs) json["runs"].push_back(RunJson(run));
  for (const Outcome& outcome : row.simulated) {
    json["simulated"].push_back(
        {{"requests", outcome.requests}, {"latency_ms", QuantilesJson(outcome.latency_ns)}});
  }
  return json;
}

}  // namespace

std::string JsonText(const RunOptions& options, const TcpSurvey& survey) {
  Json json = {{"scene", options.scene},
               {"world", WorldJson(options.world)},
               {"engine", survey.engine},
               {"seeds", options.seeds},
               {"first_seed", options.first_seed},
               {"late_ms", QuantilesJson(survey.late_ns)},
               {"timer_error_ms", QuantilesJson(survey.timer_error_ns)},
               {"rows", Json::array()},
               {"claims", Json::array()}};
  for (const TcpRow& row : survey.rows) json["rows"].push_back(RowJson(row));
  for (const Verdict& verdict : VerdictsOf(options.scene, survey.rows)) {
    json["claims"].push_back(
        {{"claim", verdict.claim}, {"measured", verdict.measured}, {"holds", verdict.holds}});
  }
  return kit::Dump(json) + "\n";
}

}  // namespace l4lb::lab

// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/page.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/kit/json_dump.h"
#include "tools/kit/page.h"
#include "tools/lab/scenes.h"
#include "tools/lab/tcp_verdicts.h"
#include "tools/lab/web_parts.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kTenths = 10;      // Points of a curve for each nine.
constexpr int kFirstTenth = 3;   // Just below the median.
constexpr int kLastTenth = 30;   // 99.9 %.
constexpr int kMostDrawn = 256;  // Backends whose queues are shown over time.

// A run, simulated or not.
struct OneRun {
  const Histogram* latency_ns;
  std::vector<int64_t> requests;  // By backend.
};

double Ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

// Enough for a pixel.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

Spread SpreadOverRuns(const std::vector<OneRun>& runs,
                      const std::function<double(const OneRun&)>& value) {
  std::vector<double> values;
  for (const OneRun& run : runs) values.push_back(value(run));
  return SpreadOf(values);
}

Spread QuantileOver(const std::vector<OneRun>& runs, double share) {
  return SpreadOverRuns(runs,
                        [share](const OneRun& run) { return Ms(run.latency_ns->Quantile(share)); });
}

Json CurveOf(const std::vector<OneRun>& runs) {
  Json curve = {{"nines", Json::array()},
                {"median", Json::array()},
                {"least", Json::array()},
                {"most", Json::array()}};
  for (int tenth = kFirstTenth; tenth <= kLastTenth; ++tenth) {
    const double nines = static_cast<double>(tenth) / kTenths;
    const Spread spread = QuantileOver(runs, 1 - std::pow(10, -nines));
    curve["nines"].push_back(nines);
    curve["median"].push_back(Rounded(spread.median));
    curve["least"].push_back(Rounded(spread.least));
    curve["most"].push_back(Rounded(spread.most));
  }
  return curve;
}

Json SharesOf(const std::vector<OneRun>& runs) {
  Json shares = Json::array();
  for (size_t i = 0; i < runs.front().requests.size(); ++i) {
    shares.push_back(Rounded(
        SpreadOverRuns(runs, [i](const OneRun& run) {
          const auto all = std::accumulate(run.requests.begin(), run.requests.end(), int64_t{0});
          return all == 0 ? 0 : static_cast<double>(run.requests[i]) / static_cast<double>(all);
        }).median));
  }
  return shares;
}

Json RowData(PolicyKind policy, const std::string& label, bool growing,
             const std::vector<OneRun>& runs) {
  Json p99_of_runs = Json::array();
  for (const OneRun& run : runs) p99_of_runs.push_back(Rounded(Ms(run.latency_ns->Quantile(0.99))));
  const Spread mean =
      SpreadOverRuns(runs, [](const OneRun& run) { return run.latency_ns->mean() / 1e6; });
  return {{"policy", Name(policy)},
          {"label", label},
          {"growing", growing},
          {"mean", Rounded(mean.median)},
          {"p50", Rounded(QuantileOver(runs, 0.5).median)},
          {"p90", Rounded(QuantileOver(runs, 0.9).median)},
          {"p99", Rounded(QuantileOver(runs, 0.99).median)},
          {"p99_9", Rounded(QuantileOver(runs, 0.999).median)},
          {"max", Rounded(QuantileOver(runs, 1).median)},
          {"p99_of_runs", p99_of_runs},
          {"shares", SharesOf(runs)},
          {"curve", CurveOf(runs)}};
}

// What was answered in that part of the time, in all runs.
Histogram LatencyAt(size_t moment, const std::vector<Outcome>& runs) {
  Histogram latency_ns;
  for (const Outcome& run : runs) {
    if (moment < run.samples.size()) latency_ns.Merge(run.samples[moment].latency_ns);
  }
  return latency_ns;
}

Json MsOrNull(const Histogram& latency_ns, double share) {
  return latency_ns.count() == 0 ? Json() : Json(Rounded(Ms(latency_ns.Quantile(share))));
}

Json OverTime(const std::vector<Outcome>& runs) {
  Json times = Json::array();
  Json present = Json::array();
  Json p50 = Json::array();
  Json p99 = Json::array();
  for (size_t moment = 0; moment < runs.front().samples.size(); ++moment) {
    const Sample& sample = runs.front().samples[moment];
    const Histogram latency_ns = LatencyAt(moment, runs);
    p50.push_back(MsOrNull(latency_ns, 0.5));
    p99.push_back(MsOrNull(latency_ns, 0.99));
    times.push_back(static_cast<double>(sample.time_ms) / 1'000);
    for (size_t i = 0; i < sample.present.size(); ++i) {
      if (present.size() <= i) present.push_back(Json::array());
      present[i].push_back(sample.present[i]);
    }
  }
  return {{"times_s", times}, {"present", present}, {"p50", p50}, {"p99", p99}};
}

Json MarkedOf(const World& world) {
  Json marked = Json::array();
  for (int i = 0; i < world.all_backends(); ++i) {
    if (world.slow > 0 ? world.is_slow(i) : i >= world.backends) marked.push_back(i);
  }
  return marked;
}

// Empty when the world is not that of the scene.
Json PublishedOf(const std::string& scene_name, World world) {
  Json figures = Json::array();
  const Scene* scene = FindScene(scene_name);
  if (scene == nullptr) return figures;
  world.queue_per = scene->world.queue_per;
  if (WorldJson(world) != WorldJson(scene->world)) return figures;
  for (const Published& published : PublishedFigures()) {
    if (scene_name != published.scene) continue;
    figures.push_back({{"policy", Name(published.policy)},
                       {"figure", NameOf(published.figure)},
                       {"least", published.least},
                       {"most", published.most}});
  }
  return figures;
}

std::string Sentences(const std::string& lines) {
  return absl::StrReplaceAll(lines, {{"\n", ". "}});
}

Json Frame(const World& world, const std::string& scene, const std::string& command) {
  return {{"text", Sentences(WorldText(world))},
          {"command", command},
          {"marked", MarkedOf(world)},
          {"marked_name", world.slow > 0 ? "slow" : "new"},
          {"published", PublishedOf(scene, world)},
          {"claims", Json::array()},
          {"groups", Json::array()}};
}

std::string ClaimText(const Claim& claim) {
  const char* unit = claim.published.figure == Figure::kSlowShare ? " %" : " ms";
  return absl::StrCat(std::string(Name(claim.published.policy)), ", ",
                      NameOf(claim.published.figure), ": ", claim.published.least, " to ",
                      claim.published.most, unit);
}

Json ClaimData(const Claim& claim) {
  return {{"claim", ClaimText(claim)},
          {"measured", absl::StrFormat("98 %% of runs of the same length: %.4g to %.4g", claim.low,
                                       claim.high)},
          {"holds", claim.holds()}};
}

}  // namespace

Json PageData(const SimulateOptions& options, const Findings& findings) {
  Json data = Frame(options.world, options.scene, options.output.command);
  Json rows = Json::array();
  uint64_t requests = 0;
  for (const Row& row : findings.rows) {
    std::vector<OneRun> runs;
    for (const Outcome& outcome : row.runs) {
      runs.push_back({&outcome.latency_ns, outcome.requests});
      requests += outcome.latency_ns.count();
    }
    rows.push_back(RowData(row.policy, std::string(Name(row.policy)), IsGrowing(row), runs));
    const bool has_samples = !row.runs.front().samples.empty();
    if (has_samples && options.world.all_backends() <= kMostDrawn) {
      rows.back()["over_time"] = OverTime(row.runs);
    }
  }
  data["groups"].push_back({{"name", ""}, {"rows", rows}});
  data["requests"] = requests;
  for (const Claim& claim : findings.claims) data["claims"].push_back(ClaimData(claim));
  return data;
}

Json PageData(const RunOptions& options, const TcpSurvey& survey) {
  Json data = Frame(options.world, options.scene, options.output.command);
  data["text"] = absl::StrCat(Sentences(WorldText(options.world, /*says_queue=*/false)),
                              "Real TCP, ", survey.engine, ".");
  for (const TcpRow& row : survey.rows) {
    std::vector<Seen::Part> wholes;
    for (const TrialOutcome& run : row.runs) wholes.push_back(run.seen.Whole());
    std::vector<OneRun> runs;
    for (const Seen::Part& whole : wholes) runs.push_back({&whole.latency_ns, whole.requests});
    Json& groups = data["groups"];
    if (groups.empty() || groups.back()["name"] != row.group) {
      groups.push_back({{"name", row.group}, {"rows", Json::array()}});
    }
    Json row_data = RowData(row.setup.policy, row.label, row.growing(), runs);
    if (options.scene == "slow-database") row_data["failed_percent"] = row.Failed().median;
    groups.back()["rows"].push_back(row_data);
  }
  for (const Verdict& verdict : VerdictsOf(options.scene, survey.rows)) {
    data["claims"].push_back(
        {{"claim", verdict.claim}, {"measured", verdict.measured}, {"holds", verdict.holds}});
  }
  return data;
}

Json ScenesData() {
  Json scenes = Json::array();
  const SimulateOptions defaults;
  const auto name_of = [](std::string* out, PolicyKind kind) { out->append(Name(kind)); };
  for (const Scene& scene : Scenes()) {
    if (!scene.simulated) continue;
    scenes.push_back(
        {{"name", scene.name},
         {"text", scene.text},
         {"settings",
          {{"backends", scene.world.backends},
           {"utilisation", ValuesOf(scene.world).utilisation_percent},
           {"slow", scene.world.slow},
           {"factor", scene.world.slow_factor},
           {"joining", scene.world.joining},
           {"join_at", absl::StrCat(static_cast<double>(scene.world.join_ms) / 1'000, "s")},
           {"balancers", scene.world.balancers},
           {"limit", scene.world.limit},
           {"service", NameOf(scene.world.service)},
           {"queue_per", NameOf(scene.world.queue_per)},
           {"policies", absl::StrJoin(defaults.policies, ",", name_of)},
           {"seeds", defaults.effort.seeds},
           {"seed", defaults.effort.first_seed}}}});
  }
  return {{"scenes", scenes}};
}

std::string PageText(const Json& data) { return kit::FillPage(kPageParts, kit::Dump(data)); }

std::string ServedPageText() {
  const std::string html = absl::StrReplaceAll(
      kPageParts.html, {{"default-src 'none';", "default-src 'none'; connect-src 'self';"}});
  return kit::FillPage({.html = html, .style = kPageParts.style, .script = kPageParts.script},
                       kit::Dump(ScenesData()));
}

}  // namespace l4lb::lab

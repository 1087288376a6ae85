// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/json.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nlohmann/json.hpp"
#include "tools/kit/json_dump.h"
#include "tools/skew/machine.h"
#include "tools/skew/names.h"
#include "tools/skew/story.h"

namespace l4lb::skew {
namespace {

using Json = nlohmann::ordered_json;

// What is drawn, so that the page stays below 600 KiB whatever runs for how long.
constexpr int64_t kMostPoints = 25'000;  // Of all series together,
constexpr int64_t kPointsOfOne = 40;     // and of one at most.
constexpr int64_t kLanePoints = 20;
constexpr size_t kMostLanes = 1'500;  // Of all modes together,
constexpr size_t kLanesOfOne = 240;   // and of one at most: more are no picture.

double InSeconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Enough for a page, and short.
double Rounded(double number, double steps = 1000) { return std::round(number * steps) / steps; }

Json OfPart(const PartFigures& part) {
  Json json = {{"from_s", Rounded(part.from_s)}, {"to_s", Rounded(part.to_s)},
               {"requests", part.requests},      {"share", Json::array()},
               {"p50_ms", Rounded(part.p50_ms)}, {"p99_ms", Rounded(part.p99_ms)},
               {"jain", Rounded(part.jain, 1e4)}};
  for (const double share : part.share) json["share"].push_back(Rounded(share, 1e5));
  return json;
}

Json OfPart(const std::optional<PartFigures>& part) {
  return part.has_value() ? OfPart(*part) : Json();
}

Json OfMode(const ModeFigures& figures) {
  const ModeText& text = TextOf(figures.mode);
  Json json = {{"mode", text.name},
               {"kind", Name(text.kind)},
               {"text", text.text},
               {"before", OfPart(figures.before)},
               {"during", OfPart(figures.during)},
               {"after", OfPart(figures.after)},
               {"since_added", OfPart(figures.since_added)},
               {"removed", OfPart(figures.removed)},
               {"seconds_to_fair", Json()},
               {"connections_cut", figures.connections_cut},
               {"interrupted", figures.interrupted},
               {"errors", figures.errors},
               {"retries", figures.retries},
               {"sent", figures.sent},
               {"answered", figures.answered},
               {"p50_ms", Rounded(figures.p50_ms)},
               {"p99_ms", Rounded(figures.p99_ms)},
               {"jain", Rounded(figures.jain, 1e4)}};
  if (figures.seconds_to_fair.has_value()) {
    json["seconds_to_fair"] = Rounded(*figures.seconds_to_fair);
  }
  return json;
}

// Sums of `steps` counts, the first of which lies at step `first` of the mode.
std::vector<uint32_t> Coarser(const std::vector<uint32_t>& counts, int64_t first, int64_t steps) {
  std::vector<uint32_t> sums;
  const int64_t base = first / steps;
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto at = static_cast<size_t>((first + static_cast<int64_t>(i)) / steps - base);
    if (at >= sums.size()) sums.resize(at + 1);
    sums[at] += counts[i];
  }
  return sums;
}

// So many steps of Observed::kStepNs are one of the page's, when a mode is to have `points`.
int64_t StepsOf(const Options& options, int64_t points) {
  const int64_t steps = options.duration_ms * 1'000'000 / Observed::kStepNs;
  return std::max<int64_t>(1, (steps + points - 1) / points);
}

Json SeriesOf(const Options& options, const ModeRun& run, int64_t points) {
  const int64_t steps = StepsOf(options, points);
  Json json = {{"step_s", InSeconds(steps * Observed::kStepNs)}, {"requests", Json::array()}};
  // A step that is not over has too few.
  const auto whole = static_cast<size_t>(run.schedule.end_ns() / (steps * Observed::kStepNs));
  for (const auto& counts : run.observed.requests) {
    std::vector<uint32_t> sums = Coarser(counts, 0, steps);
    sums.resize(whole);
    json["requests"].push_back(sums);
  }
  return json;
}

Json OfLane(const Lane& lane, int64_t steps) {
  const int64_t from_ns = std::max<int64_t>(0, lane.from_ns);
  return {{"backend", lane.backend},
          {"from_s", Rounded(InSeconds(from_ns))},
          {"to_s", Rounded(InSeconds(lane.to_ns))},
          {"requests", Coarser(lane.requests, from_ns / Observed::kStepNs, steps)}};
}

// Every n-th of each backend when there are more than `most`.
Json LanesOf(const Options& options, const ModeRun& run, size_t most) {
  const int64_t steps = StepsOf(options, kLanePoints);
  const auto& lanes = run.observed.lanes;
  const size_t every = (lanes.size() + most - 1) / most;
  std::vector<size_t> seen(run.observed.requests.size());
  Json shown = Json::array();
  for (const Lane& lane : lanes) {
    if (seen[static_cast<size_t>(lane.backend)]++ % every != 0 || shown.size() == most) continue;
    shown.push_back(OfLane(lane, steps));
  }
  const size_t left_out = lanes.size() - shown.size();
  return {{"step_s", InSeconds(steps * Observed::kStepNs)},
          {"left_out", left_out},
          {"lanes", std::move(shown)}};
}

Json Parameters(const Options& options) {
  Json modes = Json::array();
  for (const Mode mode : options.modes) modes.push_back(Name(mode));
  return {{"backends", options.backends},
          {"add", options.added},
          {"add_at_s", static_cast<double>(options.add_at_ms) / 1e3},
          {"remove", options.removed},
          {"remove_at_s", static_cast<double>(options.remove_at_ms) / 1e3},
          {"clients", options.clients},
          {"rate", options.rate},
          {"duration_s", static_cast<double>(options.duration_ms) / 1e3},
          {"service_time_ms", options.service_ms},
          {"max_connection_age_s", static_cast<double>(options.max_connection_age_ms) / 1e3},
          {"modes", modes},
          {"seed", options.seed},
          {"command", options.command}};
}

Json JsonOf(const Options& options, const Outcome& outcome) {
  const Machine machine = ThisMachine();
  Json json = {{"headline", Headline(options, outcome.figures)},
               {"claims", Json::array()},
               {"parameters", Parameters(options)},
               {"machine",
                {{"l4lb", machine.l4lb},
                 {"engine", outcome.engine},
                 {"layer7", outcome.layer7},
                 {"kernel", machine.kernel},
                 {"cpu", machine.cpu},
                 {"cores", machine.cores},
                 {"date", machine.date}}},
               {"interrupted", outcome.interrupted},
               {"backends", Json::array()},
               {"modes", Json::array()}};
  for (const Claim& claim : ClaimsOf(options, outcome.figures)) {
    Json holds;  // Null: the run was too short to tell.
    if (claim.holds.has_value()) holds = *claim.holds;
    json["claims"].push_back(
        {{"claim", claim.claim}, {"measured", claim.measured}, {"holds", holds}});
  }
  for (int i = 0; i < options.all_backends(); ++i) json["backends"].push_back(BackendName(i));
  for (const ModeFigures& figures : outcome.figures) json["modes"].push_back(OfMode(figures));
  return json;
}

}  // namespace

std::string JsonText(const Options& options, const Outcome& outcome) {
  return kit::Dump(JsonOf(options, outcome)) + "\n";
}

std::string PageJson(const Options& options, const Outcome& outcome) {
  Json json = JsonOf(options, outcome);
  const auto modes = std::max<size_t>(1, outcome.runs.size());
  const int64_t series = static_cast<int64_t>(modes) * options.all_backends();
  const int64_t points = std::clamp<int64_t>(kMostPoints / series, 1, kPointsOfOne);
  const size_t lanes = std::min(kLanesOfOne, kMostLanes / modes);
  for (size_t i = 0; i < outcome.runs.size(); ++i) {
    json["modes"][i]["end_s"] = InSeconds(outcome.runs[i].schedule.end_ns());
    json["modes"][i]["series"] = SeriesOf(options, outcome.runs[i], points);
    json["modes"][i]["lanes"] = LanesOf(options, outcome.runs[i], lanes);
  }
  return kit::Dump(json);
}

}  // namespace l4lb::skew

// SPDX-License-Identifier: Apache-2.0
#include "tools/load/report.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tools/kit/numbers.h"

namespace l4lb::load {
namespace {

using kit::Grouped;
using Json = nlohmann::ordered_json;

struct Quantile {
  const char* name;  // In JSON.
  const char* in_tables;
  double share;
};

constexpr Quantile kQuantiles[] = {{"p50", "p50", 0.5},
                                   {"p90", "p90", 0.9},
                                   {"p99", "p99", 0.99},
                                   {"p99_9", "p99.9", 0.999},
                                   {"max", "max", 1}};

const char* NameOf(Direction direction) {
  switch (direction) {
    case Direction::kUp:
      return "up";
    case Direction::kDown:
      return "down";
    case Direction::kBoth:
      return "both";
  }
  return "";
}

double PerSecond(uint64_t amount, const Tally& tally) {
  return tally.seconds > 0 ? static_cast<double>(amount) / tally.seconds : 0;
}

std::vector<std::string> Texts(const std::vector<SocketAddress>& addresses) {
  std::vector<std::string> texts;
  for (const SocketAddress& address : addresses) texts.push_back(address.ToString());
  return texts;
}

Json Parameters(const Options& options) {
  return {{"target", Texts(options.targets)},
          {"sources", options.sources.size()},
          {"connections", options.connections},
          {"size", options.size},
          {"rate", options.rate},
          {"duration_ms", options.duration_ms},
          {"warmup_ms", options.warmup_ms},
          {"grace_ms", options.grace_ms},
          {"count", options.count},
          {"bytes", options.bytes},
          {"verify", options.verify},
          {"ask", options.ask},
          {"reconnect", options.reconnect},
          {"linger_reset", options.linger_reset},
          {"direction", NameOf(options.direction)},
          {"close", options.closer == Closer::kClient ? "client" : "backend"},
          {"seed", options.seed},
          {"threads", options.threads}};
}

Json Latency(const Histogram& latency_ns) {
  Json json = {{"count", latency_ns.count()}, {"mean", latency_ns.mean() / 1e3}};
  for (const Quantile& quantile : kQuantiles) {
    json[quantile.name] = static_cast<double>(latency_ns.Quantile(quantile.share)) / 1e3;
  }
  return json;
}

template <size_t kSize>
Json Counts(const NameAndText (&names)[kSize], const std::array<uint64_t, kSize>& counts) {
  Json json = Json::object();
  for (size_t i = 0; i < kSize; ++i) json[std::string(names[i].name)] = counts[i];
  return json;
}

std::string Line(std::string_view name, const std::string& value) {
  return absl::StrFormat("  %-12s%s\n", std::string(name), value);
}

std::string BytesText(uint64_t bytes, const Tally& tally) {
  const double gigabits = PerSecond(bytes, tally) * 8e-9;
  return absl::StrFormat("%s B  %.3f Gb/s", Grouped(bytes), gigabits);
}

std::string LatencyText(const Histogram& latency_ns) {
  std::vector<std::string> parts;
  for (const Quantile& quantile : kQuantiles) {
    parts.push_back(
        absl::StrFormat("%s %.1f", quantile.in_tables,
                        static_cast<double>(latency_ns.Quantile(quantile.share)) / 1e3));
  }
  return absl::StrJoin(parts, "  ");
}

template <size_t kSize>
std::string CountLines(std::string_view title, const NameAndText (&names)[kSize],
                       const std::array<uint64_t, kSize>& counts) {
  std::string lines;
  for (size_t i = 0; i < kSize; ++i) {
    if (counts[i] == 0) continue;
    absl::StrAppend(&lines,
                    Line(lines.empty() ? title : "",
                         absl::StrCat(Grouped(counts[i]), " ", std::string(names[i].text))));
  }
  return lines;
}

std::string Title(const Options& options) {
  return absl::StrFormat("%s  %s  %d connection%s, %d thread%s\n", options.work,
                         absl::StrJoin(Texts(options.targets), ","), options.connections,
                         options.connections == 1 ? "" : "s", options.threads,
                         options.threads == 1 ? "" : "s");
}

}  // namespace

std::string TableText(const Options& options, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  std::string text = Title(options);
  absl::StrAppend(&text,
                  Line("measured", absl::StrFormat("%.2f s%s", tally.seconds,
                                                   outcome.interrupted ? ", cut short" : "")));
  if (options.work == "idle") absl::StrAppend(&text, Line("alive", Grouped(tally.open)));
  if (tally.operations > 0) {
    absl::StrAppend(
        &text,
        Line("operations",
             absl::StrFormat("%s  %s/s", Grouped(tally.operations),
                             Grouped(static_cast<uint64_t>(PerSecond(tally.operations, tally))))));
  }
  if (tally.bytes_up > 0) absl::StrAppend(&text, Line("up", BytesText(tally.bytes_up, tally)));
  if (tally.bytes_down > 0)
    absl::StrAppend(&text, Line("down", BytesText(tally.bytes_down, tally)));
  if (tally.latency_ns.count() > 0) {
    absl::StrAppend(&text, Line("latency us", LatencyText(tally.latency_ns)));
  }
  if (options.work == "churn") {
    absl::StrAppend(&text, Line("seed", absl::StrCat(options.seed)),
                    CountLines("ended", kEndings, tally.endings));
  }
  absl::StrAppend(&text, Line("CPU", absl::StrFormat("%.2f s", tally.cpu_seconds)));
  if (tally.failed() == 0) return absl::StrCat(text, Line("errors", "none"));
  return absl::StrCat(text, CountLines("errors", kFailures, tally.failures),
                      Line("first", tally.first_failure));
}

std::string JsonText(const Options& options, const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  Json json = {{"work", options.work},
               {"parameters", Parameters(options)},
               {"seconds", tally.seconds},
               {"until_ns", tally.until_ns},
               {"operations", tally.operations},
               {"rate", PerSecond(tally.operations, tally)},
               {"bytes_up", tally.bytes_up},
               {"bytes_down", tally.bytes_down},
               {"gbps_up", PerSecond(tally.bytes_up, tally) * 8e-9},
               {"gbps_down", PerSecond(tally.bytes_down, tally) * 8e-9},
               {"open", tally.open},
               {"cpu_seconds", tally.cpu_seconds},
               {"interrupted", outcome.interrupted},
               {"errors", Counts(kFailures, tally.failures)},
               {"first_error", tally.first_failure},
               {"latency_us", Latency(tally.latency_ns)}};
  if (options.work == "churn") json["ends"] = Counts(kEndings, tally.endings);
  return json.dump() + "\n";
}

}  // namespace l4lb::load

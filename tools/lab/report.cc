// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/kit/bars.h"
#include "tools/kit/numbers.h"
#include "tools/lab/numbers.h"
#include "tools/lab/terminal.h"
#include "tools/lab/world_flags.h"

namespace l4lb::lab {
namespace {

constexpr int kBarWidth = 40;
constexpr size_t kShareColumn = 91;
constexpr double kLogFrom = 20;  // Bars of values that differ by more are logarithmic.

Spread SpreadOfFigure(const Row& row, const World& world, Figure figure) {
  std::vector<double> values;
  for (const Outcome& outcome : row.runs) values.push_back(ValueOf(figure, world, outcome));
  return SpreadOf(values);
}

Spread SpreadOfQuantile(const Row& row, double share) {
  std::vector<double> values;
  for (const Outcome& outcome : row.runs) values.push_back(QuantileMs(outcome, share));
  return SpreadOf(values);
}

Spread SpreadOfMean(const Row& row) {
  std::vector<double> values;
  for (const Outcome& outcome : row.runs) values.push_back(outcome.latency_ns.mean() / 1e6);
  return SpreadOf(values);
}

std::string RangeText(const Spread& spread) {
  return absl::StrCat(MsText(spread.least), " - ", MsText(spread.most));
}

bool HasMarked(const World& world) { return world.slow > 0 || world.joining > 0; }

std::string RowLine(const World& world, const Row& row, const char* growing_mark) {
  std::string line = absl::StrFormat("%-18s", std::string(Name(row.policy)));
  absl::StrAppendFormat(&line, "%9s", MsText(SpreadOfMean(row).median));
  for (const double share : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    absl::StrAppendFormat(&line, "%9s", MsText(SpreadOfQuantile(row, share).median));
  }
  absl::StrAppend(&line, "  ", RangeText(SpreadOfQuantile(row, 0.99)));
  if (HasMarked(world)) {
    line.resize(std::max<size_t>(line.size(), kShareColumn), ' ');
    const Spread share = SpreadOfFigure(row, world, Figure::kSlowShare);
    absl::StrAppendFormat(&line, "%7.1f %%", share.median);
  }
  return absl::StrCat(line, IsGrowing(row) ? "  " : "", IsGrowing(row) ? growing_mark : "", "\n");
}

std::string Rows(const World& world, const std::vector<Row>& rows, bool ascii) {
  std::string text = absl::StrFormat("%-18s%9s%9s%9s%9s%9s%9s  %s%s\n", "ms", "mean", "p50", "p90",
                                     "p99", "p99.9", "max", "p99 of the runs",
                                     world.slow > 0      ? "  slow get"
                                     : world.joining > 0 ? "   new get"
                                                         : "");
  bool growing = false;
  for (const Row& row : rows) {
    absl::StrAppend(&text, RowLine(world, row, GrowingMark(ascii)));
    growing |= IsGrowing(row);
  }
  return growing ? text + GrowingText(ascii) : text;
}

std::string Bars(const std::vector<Row>& rows, bool ascii) {
  double least = 1e300;
  double most = 0;
  for (const Row& row : rows) {
    const double p99 = SpreadOfQuantile(row, 0.99).median;
    least = std::min(least, p99);
    most = std::max(most, p99);
  }
  if (most <= 0) return "";
  const bool log = most > kLogFrom * least && least > 0;
  std::string text = log ? "\np99, logarithmic\n" : "\np99\n";
  for (const Row& row : rows) {
    const double p99 = SpreadOfQuantile(row, 0.99).median;
    // The least one of a logarithmic picture still has a bar.
    const double share = log ? std::log(2 * p99 / least) / std::log(2 * most / least) : p99 / most;
    const std::string bar = kit::Bar(share, kBarWidth, ascii);
    absl::StrAppendFormat(&text, "%-18s%9s  %s\n", std::string(Name(row.policy)), MsText(p99),
                          std::string(absl::StripTrailingAsciiWhitespace(bar)));
  }
  return text;
}

std::string TheoryLines(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    if (!row.expected.has_value()) continue;
    absl::StrAppendFormat(&text, "%-18s%9s", std::string(Name(row.policy)),
                          MsText(row.expected->mean_ms));
    absl::StrAppendFormat(&text, "%9s", row.expected->p50_ms ? MsText(*row.expected->p50_ms) : "");
    absl::StrAppendFormat(&text, "%9s", "");
    absl::StrAppendFormat(&text, "%9s", row.expected->p99_ms ? MsText(*row.expected->p99_ms) : "");
    absl::StrAppend(&text, "  ", row.expected->name, "\n");
  }
  return text.empty() ? "" : absl::StrCat("\nin theory, for ever\n", text);
}

std::string ClaimValue(const Claim& claim, double value) {
  return claim.published.figure == Figure::kSlowShare ? absl::StrFormat("%.1f %%", value)
                                                      : MsText(value);
}

std::string VerdictText(const Claim& claim) {
  if (claim.holds()) return "holds";
  return claim.published.most - claim.published.rounding / 2 > claim.high ? "is higher"
                                                                          : "is lower";
}

std::string ClaimRange(const Claim& claim, double low, double high) {
  return absl::StrCat(ClaimValue(claim, low), " - ", ClaimValue(claim, high));
}

std::string ClaimLines(const SimulateOptions& options, const std::vector<Claim>& claims) {
  if (claims.empty()) return "";
  std::string text = absl::StrFormat(
      "\n%-29s%-18s%-18s%11s\n%-47s%s\n", "published", "two runs of 8 s",
      absl::StrCat(options.claim_seeds, " of ours:"), "for ever", "", "98 % lie in");
  for (const Claim& claim : claims) {
    absl::StrAppendFormat(&text, "%-18s%-11s%-18s%-18s%11s  %s\n",
                          std::string(Name(claim.published.policy)), NameOf(claim.published.figure),
                          ClaimRange(claim, claim.published.least, claim.published.most),
                          ClaimRange(claim, claim.low, claim.high),
                          claim.growing && claim.published.figure != Figure::kSlowShare
                              ? "grows"
                              : ClaimValue(claim, claim.steady),
                          VerdictText(claim));
  }
  return text;
}

std::string CountsText(const World& world) {
  std::string text = absl::StrCat(world.backends, " backend", world.backends == 1 ? "" : "s");
  if (world.slow > 0) {
    absl::StrAppend(&text, ", ", world.slow, " of them ", world.slow_factor, " times slower");
  }
  if (world.joining > 0) {
    absl::StrAppendFormat(&text, ", %d more after %g s", world.joining,
                          static_cast<double>(world.join_ms) / 1'000);
  }
  return text;
}

std::string ServiceText(const World& world) {
  if (world.service != Service::kPareto) return NameOf(world.service);
  return absl::StrCat("pareto of shape ", world.shape);
}

}  // namespace

std::string GrowingText(bool ascii) {
  return absl::StrCat(GrowingMark(ascii),
                      " grows as long as requests come: a backend is sent more than it can do\n");
}

std::string WorldText(const World& world, bool says_queue) {
  std::string text = absl::StrFormat(
      "%s; %.4g %% busy: %s requests/s of %.4g ms each (%s)\n", CountsText(world),
      100 * world.utilisation, kit::Grouped(static_cast<uint64_t>(std::llround(world.rate()))),
      world.mean_ms, ServiceText(world));
  absl::StrAppend(&text, world.balancers, " balancer", world.balancers == 1 ? "" : "s");
  if (world.limit > 0) {
    absl::StrAppend(&text, "; at most ", world.limit, " connections to a backend, the rest waits");
    if (says_queue) absl::StrAppend(&text, " (per: ", NameOf(world.queue_per), ")");
  }
  if (world.connections > 0) {
    absl::StrAppend(&text, "; ", world.connections, " lasting connections");
    if (world.requests_each > 0) {
      absl::StrAppend(&text, " of ", world.requests_each, " requests");
    }
  }
  return absl::StrCat(text, "\n");
}

std::string TableText(const SimulateOptions& options, const Findings& findings) {
  const bool ascii = options.output.ascii;
  return absl::StrCat(WorldText(options.world),
                      absl::StrFormat("%d run%s of %g s; medians of the runs\n\n",
                                      options.effort.seeds, options.effort.seeds == 1 ? "" : "s",
                                      static_cast<double>(options.world.duration_ms) / 1'000),
                      Rows(options.world, findings.rows, ascii), Bars(findings.rows, ascii),
                      TheoryLines(findings.rows), ClaimLines(options, findings.claims));
}

}  // namespace l4lb::lab

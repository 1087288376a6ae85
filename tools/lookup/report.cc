// SPDX-License-Identifier: Apache-2.0
#include "tools/lookup/report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace l4lb::lookup {
namespace {

std::string TitleOf(const Row& row) {
  return absl::StrFormat("%-20s", lookup::TitleOf(row.algorithm, row.table_size, row.points));
}

// Bytes in at most seven characters.
std::string Bytes(uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 10'000) return absl::StrFormat("%d B", bytes);
  if (bytes < 1'000'000) return absl::StrFormat("%.1f kB", number / 1e3);
  return absl::StrFormat("%.1f MB", number / 1e6);
}

std::string CostLine(const Row& row) {
  return absl::StrFormat("  %s%9.2f%9.2f%10.3f%10s%9.3f%8.2f\n", TitleOf(row), row.lookup_ns.median,
                         row.latency_ns.median, row.build_ms.median, Bytes(row.memory_bytes),
                         row.peak_to_mean, 100 * row.stddev);
}

std::string Cell(const Change& change) {
  if (!change.movement.has_value()) return "-";
  return absl::StrFormat("%.1f+%.1f", 100 * change.movement->moved, 100 * change.movement->extra);
}

constexpr size_t kGrowth = 2;  // 8->10 and 9->10, the last ones, are the same for every N.

std::string MovesLine(const Row& row) {
  std::string line = absl::StrCat("  ", TitleOf(row));
  for (size_t i = 0; i + kGrowth < row.disruption.size(); ++i) {
    absl::StrAppendFormat(&line, "%10s", Cell(row.disruption[i]));
  }
  return line + "\n";
}

std::string GrowthLine(const Row& row) {
  std::string line = absl::StrCat("  ", TitleOf(row));
  for (size_t i = row.disruption.size() - kGrowth; i < row.disruption.size(); ++i) {
    absl::StrAppendFormat(&line, "%12s", Cell(row.disruption[i]));
  }
  return line + "\n";
}

std::string TablesOf(uint32_t nodes, const std::vector<Row>& rows) {
  std::string costs = absl::StrFormat("%-22s%9s%9s%10s%10s%9s%8s\n", absl::StrCat(nodes, " nodes"),
                                      "lookup", "latency", "build", "memory", "peak", "spread");
  absl::StrAppendFormat(&costs, "%-22s%9s%9s%10s%10s%9s%8s\n", "", "ns", "ns", "ms", "", "x mean",
                        "%");
  std::string moves = absl::StrFormat("%-22s%10s%10s%10s%10s%10s%10s\n", "moved+in vain, %", "+1",
                                      "-1", "kill 1", "kill 10%", "revive", "weight x2");
  for (const Row& row : rows) {
    if (row.nodes != nodes) continue;
    absl::StrAppend(&costs, CostLine(row));
    absl::StrAppend(&moves, MovesLine(row));
  }
  return absl::StrCat(costs, "\n", moves, "\n");
}

std::string Value(double number, const std::string& unit) {
  return unit == "x" ? absl::StrFormat("%.2f x", number) : absl::StrFormat("%.1f %s", number, unit);
}

std::string ClaimLines(const Claim& claim) {
  std::string lines = absl::StrFormat(
      "  %-8s %s\n           %s %s, measured %s", claim.holds() ? "holds" : "DOES NOT", claim.claim,
      claim.rule == Rule::kAbout ? "expected" : "at most", Value(claim.expected, claim.unit),
      Value(claim.measured, claim.unit));
  if (!claim.note.empty()) absl::StrAppend(&lines, " (", claim.note, ")");
  return lines + "\n";
}

}  // namespace

std::string TableText(const Options& options, const Survey& survey) {
  std::string text = absl::StrFormat(
      "%d keys, seed %d, one thread.  lookup: throughput; latency: each lookup waits for\n"
      "the one before.  Both with the loop around it, which takes %.2f and %.2f ns.\n\n",
      options.effort.keys, options.seed, survey.empty_lookup_ns.median,
      survey.empty_latency_ns.median);
  for (const uint32_t nodes : options.nodes) absl::StrAppend(&text, TablesOf(nodes, survey.rows));
  absl::StrAppendFormat(&text, "%-22s%12s%12s\n", "moved+in vain, %", "8->10", "9->10");
  for (const Row& row : survey.rows) {
    if (row.nodes == options.nodes.front()) absl::StrAppend(&text, GrowthLine(row));
  }
  absl::StrAppend(&text, "\nClaims\n");
  for (const Claim& claim : survey.claims) absl::StrAppend(&text, ClaimLines(claim));
  return text;
}

}  // namespace l4lb::lookup

// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/kit/bars.h"
#include "tools/skew/names.h"
#include "tools/skew/story.h"

namespace l4lb::skew {
namespace {

constexpr int kBarWidth = 16;  // For the whole.

std::string Plural(int count, const std::string& what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string AddedText(const Options& options) {
  std::vector<std::string> changes;
  const auto at = [](int64_t ms) { return absl::StrFormat("%g s", static_cast<double>(ms) / 1e3); };
  if (options.added > 0) {
    const std::string added = options.added > 2 ? absl::StrCat(options.added) : AddedNames(options);
    changes.push_back(absl::StrCat(added, " added after ", at(options.add_at_ms)));
  }
  if (options.removed > 0) {
    changes.push_back(absl::StrCat(options.removed, " removed after ", at(options.remove_at_ms)));
  }
  return changes.empty() ? "" : absl::StrCat(", ", absl::StrJoin(changes, ", "));
}

std::string P99(const std::optional<PartFigures>& part) {
  return part.has_value() ? absl::StrFormat("%8.1f", part->p99_ms) : absl::StrFormat("%8s", "-");
}

// Of what was added.
std::string ShareCell(const Options& options, const ModeFigures& figures) {
  if (!figures.since_added.has_value()) return absl::StrFormat("%-*s%8s", kBarWidth, "", "-");
  const double share = AddedShare(options, *figures.since_added);
  return absl::StrFormat("%s%6.1f %%", kit::Bar(share, kBarWidth, options.ascii), 100 * share);
}

std::string ModeLine(const Options& options, const ModeFigures& figures) {
  return absl::StrFormat("  %-18s%s%9s%7d%8d%7d%s%s%s\n", Name(figures.mode),
                         ShareCell(options, figures), FairText(figures), figures.connections_cut,
                         figures.retries, figures.errors, P99(figures.before), P99(figures.during),
                         P99(figures.after));
}

std::string RemovedLines(const Options& options, const std::vector<ModeFigures>& modes) {
  std::string lines;
  for (const ModeFigures& figures : modes) {
    if (!figures.removed.has_value()) continue;
    std::vector<std::string> shares;
    for (size_t i = 0; i < figures.removed->share.size(); ++i) {
      shares.push_back(absl::StrFormat("%s %.1f %%", BackendName(static_cast<int>(i)),
                                       100 * figures.removed->share[i]));
    }
    absl::StrAppendFormat(&lines, "  %-18s%s, p99 %.1f ms\n", Name(figures.mode),
                          absl::StrJoin(shares, ", "), figures.removed->p99_ms);
  }
  return lines.empty() ? ""
                       : absl::StrFormat("\nAfter the removal of %d\n%s", options.removed, lines);
}

const char* Verdict(const Claim& claim) {
  if (!claim.holds.has_value()) return "unknown";
  return *claim.holds ? "holds" : "DOES NOT";
}

std::string ClaimLines(const Options& options, const std::vector<ModeFigures>& modes) {
  std::string lines;
  for (const Claim& claim : ClaimsOf(options, modes)) {
    absl::StrAppendFormat(&lines, "  %-8s %s\n           %s\n", Verdict(claim), claim.claim,
                          claim.measured);
  }
  return lines;
}

// Two cells; empty when there was no such part.
std::string RequestsAndShare(const std::optional<PartFigures>& part, size_t backend) {
  if (!part.has_value()) return ",";
  return absl::StrFormat("%d,%.6f", part->requests[backend], part->share[backend]);
}

std::string CsvLine(const Options& options, const ModeFigures& figures, int backend) {
  const auto at = static_cast<size_t>(backend);
  const std::string seconds =
      figures.seconds_to_fair.has_value() ? absl::StrFormat("%.2f", *figures.seconds_to_fair) : "";
  return absl::StrFormat(
      "%s,%s,%d,%s,%s,%s,%.6f,%s,%d,%d,%d,%.3f,%.3f,%.4f\n", Name(figures.mode),
      BackendName(backend), backend >= options.backends, RequestsAndShare(figures.before, at),
      RequestsAndShare(figures.since_added, at), RequestsAndShare(figures.after, at),
      1.0 / options.all_backends(), seconds, figures.connections_cut, figures.errors,
      figures.retries, figures.p50_ms, figures.p99_ms, figures.jain);
}

}  // namespace

std::string TableText(const Options& options, const std::vector<ModeFigures>& modes) {
  std::string text = absl::StrFormat("%s%s; %s, %g requests/s over lasting HTTP/2 connections\n\n",
                                     Plural(options.backends, "backend"), AddedText(options),
                                     Plural(options.clients, "client"), options.rate);
  const std::string fair =
      absl::StrFormat("fair %.1f %%", 100.0 * options.added / options.all_backends());
  absl::StrAppendFormat(&text, "  %-18s%-*s%9s%7s%8s%7s%24s\n", "", kBarWidth + 8,
                        "since it was added", "seconds", "", "", "", "p99 ms");
  absl::StrAppendFormat(&text, "  %-18s%-*s%9s%7s%8s%7s%8s%8s%8s\n", "", kBarWidth + 8, fair,
                        "to fair", "cut", "retries", "errors", "before", "during", "after");
  for (const ModeFigures& figures : modes) absl::StrAppend(&text, ModeLine(options, figures));
  absl::StrAppend(&text, RemovedLines(options, modes), "\n", ClaimLines(options, modes), "\n",
                  Headline(options, modes), "\n");
  return text;
}

std::string CsvText(const Options& options, const std::vector<ModeFigures>& modes) {
  std::string text =
      "mode,backend,added,before_requests,before_share,since_added_requests,since_added_share,"
      "after_requests,after_share,fair_share,seconds_to_fair,connections_cut,errors,retries,p50_ms,"
      "p99_ms,jain\n";
  for (const ModeFigures& figures : modes) {
    for (int i = 0; i < options.all_backends(); ++i) {
      absl::StrAppend(&text, CsvLine(options, figures, i));
    }
  }
  return text;
}

}  // namespace l4lb::skew

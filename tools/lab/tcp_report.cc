// SPDX-License-Identifier: Apache-2.0
#include "tools/lab/tcp_report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/lab/numbers.h"
#include "tools/lab/report.h"
#include "tools/lab/scenes.h"
#include "tools/lab/tcp_verdicts.h"
#include "tools/lab/terminal.h"

namespace l4lb::lab {
namespace {

constexpr double kQuantiles[] = {0.5, 0.9, 0.99, 1};
constexpr const char* kDisturbedText =
    "! the machine was busy with other things, and late: run it again when it is not\n";
constexpr size_t kSimulatedColumn = 58;

std::string SimulatedText(const TcpRow& row) {
  if (row.simulated.empty()) return "";
  std::string text;
  for (const double share : {0.5, 0.99, 1.0}) {
    std::vector<double> values;
    for (const Outcome& outcome : row.simulated) values.push_back(QuantileMs(outcome, share));
    absl::StrAppendFormat(&text, "%9s", MsText(SpreadOf(values).median));
  }
  return text;
}

std::string RowLine(const TcpRow& row, bool ascii) {
  std::string line = absl::StrFormat("%-20s", row.label);
  for (const double share : kQuantiles) {
    absl::StrAppendFormat(&line, "%9s", MsText(row.QuantileMs(share).median));
  }
  line.resize(kSimulatedColumn, ' ');
  absl::StrAppendFormat(&line, "%27s", SimulatedText(row));
  if (row.world.slow > 0) absl::StrAppendFormat(&line, "%9.1f %%", row.SlowShare().median);
  if (row.setup.checks != Checks::kNone || row.Failed().most > 0) {
    absl::StrAppendFormat(&line, "%8.1f %% failed", row.Failed().median);
  }
  if (row.disturbed()) absl::StrAppend(&line, "  !");
  if (row.growing()) absl::StrAppend(&line, "  ", GrowingMark(ascii));
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

std::string Tables(const TcpSurvey& survey, bool ascii) {
  std::string text;
  std::string group = "-";
  for (const TcpRow& row : survey.rows) {
    if (row.group != group) {
      absl::StrAppendFormat(&text, "\n%-20s%9s%9s%9s%9s  %27s%s\n", row.group, "p50", "p90", "p99",
                            "max", "simulated: p50      p99      max",
                            row.world.slow > 0 ? "   slow get" : "");
    }
    group = row.group;
    absl::StrAppend(&text, RowLine(row, ascii));
  }
  return text;
}

// How p99 goes over the time, where something happens in the middle of it.
std::string PartsText(const TcpSurvey& survey) {
  if (survey.rows.empty() || survey.rows.front().world.joining == 0) return "";
  std::string text = "\np99 by eighths of the time\n";
  for (const TcpRow& row : survey.rows) {
    absl::StrAppendFormat(&text, "%-20s", row.label);
    for (int part = 0; part < TcpClients::kParts; ++part) {
      absl::StrAppendFormat(&text, "%8s", MsText(row.PartP99Ms(part, part + 1).median));
    }
    absl::StrAppendFormat(&text, "  new get %.1f %%\n",
                          row.PartJoinedShare(TcpClients::kParts - 1, TcpClients::kParts).median);
  }
  return text;
}

double MeasuredOf(const Published& published, const TcpRow& row) {
  switch (published.figure) {
    case Figure::kP50:
      return row.QuantileMs(0.5).median;
    case Figure::kP99:
      return row.QuantileMs(0.99).median;
    case Figure::kMax:
      return row.QuantileMs(1).median;
    case Figure::kSlowShare:
      return row.SlowShare().median;
  }
  return 0;
}

std::string PublishedText(const RunOptions& options, const TcpSurvey& survey) {
  std::string text;
  for (const Published& published : PublishedFigures()) {
    if (options.scene != published.scene) continue;
    for (const TcpRow& row : survey.rows) {
      if (row.setup.policy != published.policy || row.world.queue_per != QueuePer::kBackend)
        continue;
      const bool is_share = published.figure == Figure::kSlowShare;
      const auto number = [is_share](double value) {
        return is_share ? absl::StrFormat("%.1f %%", value) : MsText(value);
      };
      absl::StrAppendFormat(&text, "%-20s%-12s%22s%12s\n", row.label, NameOf(published.figure),
                            absl::StrCat(number(published.least), " - ", number(published.most)),
                            number(MeasuredOf(published, row)));
    }
  }
  if (text.empty()) return "";
  return absl::StrFormat("\n%-20s%34s%12s\n%s", "published", "two runs", "here", text);
}

std::string VerdictsText(const RunOptions& options, const TcpSurvey& survey) {
  std::string text;
  for (const Verdict& verdict : VerdictsOf(options.scene, survey.rows)) {
    absl::StrAppendFormat(&text, "  %-8s %s\n           %s\n", verdict.holds ? "holds" : "DOES NOT",
                          verdict.claim, verdict.measured);
  }
  return text.empty() ? "" : absl::StrCat("\nClaims\n", text);
}

std::string HowText(const RunOptions& options, const TcpSurvey& survey) {
  const auto ms = [](const Histogram& histogram, double share) {
    return static_cast<double>(histogram.Quantile(share)) / 1e6;
  };
  return absl::StrFormat(
      "real TCP, %s, %d run%s of %g s; requests were late by %.2f ms (p99 %.2f), backends' timers "
      "by %.2f (p99 %.2f)\n",
      survey.engine, options.seeds, options.seeds == 1 ? "" : "s",
      static_cast<double>(options.world.duration_ms) / 1'000, ms(survey.late_ns, 0.5),
      ms(survey.late_ns, 0.99), ms(survey.timer_error_ns, 0.5), ms(survey.timer_error_ns, 0.99));
}

}  // namespace

std::string TableText(const RunOptions& options, const TcpSurvey& survey) {
  const bool ascii = options.output.ascii;
  const bool growing = std::any_of(survey.rows.begin(), survey.rows.end(),
                                   [](const TcpRow& row) { return row.growing(); });
  const bool disturbed = std::any_of(survey.rows.begin(), survey.rows.end(),
                                     [](const TcpRow& row) { return row.disturbed(); });
  return absl::StrCat(WorldText(options.world, /*says_queue=*/false), HowText(options, survey),
                      Tables(survey, ascii), growing ? GrowingText(ascii) : "",
                      disturbed ? kDisturbedText : "", PartsText(survey),
                      PublishedText(options, survey), VerdictsText(options, survey));
}

}  // namespace l4lb::lab

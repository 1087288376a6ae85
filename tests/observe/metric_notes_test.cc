// SPDX-License-Identifier: Apache-2.0
//
// docs/metrics.md: that it is complete, and that its queries are PromQL.
#include "l4lb/observe/reference/metric_notes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "l4lb/observe/metric_table.h"
#include "l4lb/observe/reference/metrics_markdown.h"
#include "promtool.h"

namespace l4lb {
namespace {

template <class Status>
void AppendNames(std::vector<std::string>& names, const std::vector<Metric<Status>>& metrics) {
  for (const Metric<Status>& metric : metrics) {
    if (names.empty() || names.back() != metric.name) names.push_back(metric.name);
  }
}

// A new counter that is listed in counters.h or timings.h alone fails here.
TEST(MetricNotesTest, EveryMetricHasOneAndNothingElseHas) {
  std::vector<std::string> metrics;
  AppendNames(metrics, ProcessMetrics());
  AppendNames(metrics, ConfigMetrics());
  AppendNames(metrics, WorkerMetrics());
  AppendNames(metrics, ListenerMetrics());
  AppendNames(metrics, PoolMetrics());
  AppendNames(metrics, BackendMetrics());
  std::vector<std::string> notes;
  for (const MetricNote& note : MetricNotes()) notes.push_back(note.name);
  EXPECT_EQ(notes, metrics);
}

TEST(MetricNotesTest, QueriesAskForTheirMetric) {
  for (const MetricNote& note : MetricNotes()) {
    EXPECT_NE(std::string(note.query).find(note.name), std::string::npos) << note.name;
    EXPECT_STRNE(note.unit, "") << note.name;
    if (*note.alert == '\0') continue;
    EXPECT_NE(std::string(note.alert).find(note.name), std::string::npos) << note.name;
  }
}

TEST(MetricNotesTest, PromtoolReadsEveryQueryAndAlert) {
  EXPECT_EQ(Promtool("check rules", MetricsRules()), "");
  EXPECT_NE(Promtool("check rules", MetricsRules() + "  - alert: x\n    expr: rate(\n"), "");
}

}  // namespace
}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// The metrics: what each is called, what it means, and where its values come from.  One table feeds
// /metrics (prometheus.cc) and docs/metrics.md (reference/).  The counters of counters.h and
// timings.h come into it by their lists, so that a new one is exported without a line here.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "l4lb/observe/status.h"

namespace l4lb {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

/// What the values are kept in.  Milliseconds are exported as seconds.
enum class MetricScale : uint8_t { kOne, kMilliseconds };

std::string_view Name(MetricType type);  ///< As the text format has it.
/// Appends `value` in base units, exactly: 1500 milliseconds are 1.5, of seconds.
void AppendValue(std::string& out, int64_t value, MetricScale scale);

/// A value that there is none of at the moment; the series is left out.
inline constexpr int64_t kNoValue = std::numeric_limits<int64_t>::min();

struct HistogramView {
  std::span<const uint64_t> bounds;
  std::span<const uint64_t> counts;  // One more than bounds; of each bucket alone.
  uint64_t sum = 0;
};

using Labels = std::vector<std::pair<const char*, std::string>>;

/// One series of each `Status`.  Metrics of the same name stand one after the other and differ in
/// `label_value`: to Prometheus they are one metric.
template <class Status>
struct Metric {
  using Value = int64_t (*)(const Status&);
  using Histogram = HistogramView (*)(const Status&);
  using Info = Labels (*)(const Status&);  // The labels of a series that is always 1.

  std::string name;
  std::string help;
  MetricType type = MetricType::kGauge;
  MetricScale scale = MetricScale::kOne;
  std::variant<Value, Histogram, Info> get;
  const char* label = "";  // Beside those that name the Status; empty: none.
  std::string label_value;
  std::string label_meaning;
};

// The labels that name the Status: none; none; `worker`; `listener`; `pool`; `pool` and `backend`.
std::vector<Metric<ProcessStatus>> ProcessMetrics();
std::vector<Metric<ConfigStatus>> ConfigMetrics();
std::vector<Metric<WorkerStatus>> WorkerMetrics();
std::vector<Metric<ListenerStatus>> ListenerMetrics();
std::vector<Metric<PoolStatus>> PoolMetrics();
std::vector<Metric<BackendStatus>> BackendMetrics();

}  // namespace l4lb

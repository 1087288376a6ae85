// SPDX-License-Identifier: Apache-2.0
//
// Builds the rows of metric_table.cc for one kind of Status; private to it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "l4lb/observe/metric_table.h"

namespace l4lb {

/// How a field of a list of counters.h or timings.h is exported, when not by its own name.
struct MetricNaming {
  std::string_view field;
  const char* name;  // After l4lb_<subject>_; empty: not at all.
  MetricType type = MetricType::kCounter;
  const char* help = "";    // Of a metric with one series for each `reason`.
  const char* reason = "";  // Then this field's.
};

template <class Status>
class MetricRows {
 public:
  explicit MetricRows(const char* subject, std::span<const MetricNaming> names = {})
      : prefix_(std::string("l4lb_") + subject + "_"), names_(names) {}

  /// `get`: a lambda without captures, from a Status to a number.
  template <class Get>
  void Gauge(std::string_view name, std::string_view help, Get get) {
    AddValue(MetricType::kGauge, name, help, get);
  }
  template <class Get>
  void GaugeMs(std::string_view name, std::string_view help, Get get) {
    AddValue(MetricType::kGauge, name, help, get).scale = MetricScale::kMilliseconds;
  }
  template <class Get>
  void Counter(std::string_view name, std::string_view help, Get get) {
    AddValue(MetricType::kCounter, name, help, get);
  }
  void Info(std::string_view name, std::string_view help, typename Metric<Status>::Info get) {
    Add(MetricType::kGauge, name, help).get = get;
  }

  /// Makes the row added last one of several of its metric.
  void Label(const char* label, std::string_view value, std::string_view meaning) {
    Metric<Status>& metric = rows_.back();
    metric.label = label;
    metric.label_value = value;
    metric.label_meaning = meaning;
  }

  /// A field of a list of counters.h.
  template <class Get>
  void Field(std::string_view field, std::string_view meaning, Get get) {
    const MetricNaming* naming = NamingOf(field);
    if (naming == nullptr) return Counter(std::string(field) + "_total", meaning, get);
    if (*naming->name == '\0') return;
    const bool alone = *naming->reason == '\0';
    AddValue(naming->type, naming->name, alone ? meaning : naming->help, get);
    if (!alone) Label("reason", naming->reason, meaning);
  }
  /// A field of a list of timings.h.
  void Timing(std::string_view field, TimingUnit unit, std::string_view meaning,
              typename Metric<Status>::Histogram get) {
    const MetricNaming* naming = NamingOf(field);
    const bool time = unit == TimingUnit::kMilliseconds;
    const std::string name = std::string(field) + (time ? "_seconds" : "");
    Metric<Status>& metric =
        Add(MetricType::kHistogram, naming == nullptr ? name : naming->name, meaning);
    if (time) metric.scale = MetricScale::kMilliseconds;
    metric.get = get;
  }

  std::vector<Metric<Status>> Take() { return std::move(rows_); }

 private:
  Metric<Status>& Add(MetricType type, std::string_view name, std::string_view help) {
    Metric<Status>& metric = rows_.emplace_back();
    metric.name = prefix_;
    metric.name += name;
    metric.help = help;
    metric.type = type;
    return metric;
  }
  template <class Get>
  Metric<Status>& AddValue(MetricType type, std::string_view name, std::string_view help, Get) {
    Metric<Status>& metric = Add(type, name, help);
    metric.get = [](const Status& status) { return static_cast<int64_t>(Get{}(status)); };
    return metric;
  }
  const MetricNaming* NamingOf(std::string_view field) const {
    for (const MetricNaming& naming : names_) {
      if (naming.field == field) return &naming;
    }
    return nullptr;
  }

  const std::string prefix_;
  const std::span<const MetricNaming> names_;
  std::vector<Metric<Status>> rows_;
};

}  // namespace l4lb

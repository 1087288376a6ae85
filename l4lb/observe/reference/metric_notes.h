// SPDX-License-Identifier: Apache-2.0
//
// What docs/metrics.md says of each metric beside what the daemon itself knows of it.
#pragma once

#include <span>
#include <string_view>

namespace l4lb {

struct MetricNote {
  const char* name;
  const char* unit;
  const char* query;  // PromQL: a question that it answers.
  const char* alert;  // PromQL that yields something when a person should look; empty: none.
};

/// In the order of metric_table.h.
std::span<const MetricNote> MetricNotes();

/// The note of `name`; null when there is none (a new counter: write one).
const MetricNote* FindMetricNote(std::string_view name);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace l4lb {

/// docs/metrics.md: every metric with type, unit, labels, meaning, an example query and, where one
/// makes sense, an alert.  Fails a CHECK when a metric has no note.
std::string MetricsMarkdown();

/// Rules for Prometheus that hold all those queries and alerts, for `promtool check rules`.
std::string MetricsRules();

}  // namespace l4lb

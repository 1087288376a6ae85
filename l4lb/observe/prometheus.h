// SPDX-License-Identifier: Apache-2.0
//
// What /metrics answers.
#pragma once

#include <string>

#include "l4lb/observe/status.h"

namespace l4lb {

inline constexpr const char* kPrometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

/// All of `status` in the Prometheus text format, version 0.0.4 (prometheus.io/docs/instrumenting/
/// exposition_formats); docs/metrics.md lists the metrics.  Names must be unique: of the listeners,
/// of the pools, and of the backends of each pool.  Any thread.
std::string PrometheusText(const ProcessStatus& status);

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
//
// What of status.h is no metric: pid (a name, not a quantity); engine_why, last_error, addresses
// and the reason, the times and the suspicion of the last check (for people); backup (a setting);
// by_api and overrides (only the API undoes them, and it shows them).
#include "l4lb/observe/metric_table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/observe/metric_rows.h"

namespace l4lb {
namespace {

constexpr const char* kPauses = "times that accepting paused, by reason";

constexpr MetricNaming kListenerNames[] = {
    {"closed", ""},  // It is the sum of its reasons.
    {"paused_max_connections", "pauses_total", MetricType::kCounter, kPauses, "max_connections"},
    {"paused_listener_max_connections", "pauses_total", MetricType::kCounter, kPauses,
     "listener_max_connections"},
    {"paused_accept_rate", "pauses_total", MetricType::kCounter, kPauses, "accept_rate"},
    {"paused_no_fd", "pauses_total", MetricType::kCounter, kPauses, "no_fd"},
    {"client_bytes_taken", "client_taken_bytes_total"},
    {"client_bytes_delivered", "client_delivered_bytes_total"},
    {"client_bytes_dropped", "client_dropped_bytes_total"},
    {"backend_bytes_taken", "backend_taken_bytes_total"},
    {"backend_bytes_delivered", "backend_delivered_bytes_total"},
    {"backend_bytes_dropped", "backend_dropped_bytes_total"},
    {"duration", "session_duration_seconds"},
    {"client_bytes", "session_client_bytes"},
    {"backend_bytes", "session_backend_bytes"},
};

constexpr MetricNaming kWorkerNames[] = {
    {"buffers_in_use", "buffers_in_use", MetricType::kGauge},
    {"pipes_open", "pipes_open", MetricType::kGauge},
    {"pipes_in_use", "pipes_in_use", MetricType::kGauge},
    {"access_log_dropped", "access_log_dropped_lines_total"},
    {"log_suppressed", "log_suppressed_lines_total"},
};

template <class Sums>
HistogramView ViewOf(const Sums& sums) {
  return {Sums::kBounds, sums.counts, sums.sum};
}

constexpr const char* kDrainLeft =
    "until the sessions that are left will have been closed; there only during a drain";

int64_t TimeLeft(int64_t left_ms) { return left_ms < 0 ? kNoValue : left_ms; }

int64_t UpOrDown(Health health) {
  return health == Health::kUnchecked ? kNoValue : health != Health::kDown;
}

int64_t CheckCount(const CheckStatus& check, uint64_t count) {
  return check.health == Health::kUnchecked ? kNoValue : static_cast<int64_t>(count);
}

bool Is(const BackendStatus& backend, BackendState state) {
  return !backend.removed && backend.state == state;
}

std::string ChecksumText(const PoolStatus& pool) {
  return pool.table.empty() ? "" : absl::StrFormat("%016x", pool.table_checksum);
}

// Exact, without trailing zeros: 1500 ms is 1.5, 1000 ms is 1.
void AppendSeconds(std::string& out, uint64_t ms) {
  absl::StrAppend(&out, ms / 1000);
  if (ms % 1000 == 0) return;
  absl::StrAppend(&out, ".", absl::Dec(ms % 1000, absl::kZeroPad3));
  while (out.back() == '0') out.pop_back();
}

}  // namespace

void AppendValue(std::string& out, int64_t value, MetricScale scale) {
  if (scale == MetricScale::kMilliseconds && value >= 0) {
    AppendSeconds(out, static_cast<uint64_t>(value));
  } else if (scale == MetricScale::kMilliseconds) {
    out += '-';
    AppendSeconds(out, -static_cast<uint64_t>(value));
  } else {
    absl::StrAppend(&out, value);
  }
}

std::string_view Name(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

#define L4LB_COUNTER(field, meaning) rows.Field(#field, meaning, [](S s) { return s.sums.field; });
#define L4LB_TIMING(field, bounds, unit, meaning) \
  rows.Timing(#field, TimingUnit::unit, meaning, [](S s) { return ViewOf(s.timings.field); });

std::vector<Metric<ProcessStatus>> ProcessMetrics() {
  using S = const ProcessStatus&;
  MetricRows<ProcessStatus> rows("process");
  rows.Info("info", "always 1; the labels say what runs", [](S s) {
    return Labels{{"version", s.version}, {"engine", s.engine}};
  });
  rows.GaugeMs("start_time_seconds", "when the process started, since 1970",
               [](S s) { return s.start_unix_ms; });
  rows.GaugeMs("uptime_seconds", "since the process started", [](S s) { return s.uptime_ms; });
  rows.Gauge("active_sessions", "sessions now", [](S s) { return s.active; });
  rows.Gauge("max_connections", "how many sessions there may be",
             [](S s) { return s.max_connections; });
  rows.Gauge("open_files_limit", "how many files the process may have open",
             [](S s) { return s.open_files_limit; });
  rows.Counter("log_suppressed_lines_total", "log lines suppressed by the rate limit",
               [](S s) { return s.log_suppressed; });
  rows.Counter("access_log_lost_lines_total", "access log lines that could not be written",
               [](S s) { return s.access_log_lost; });
  rows.Gauge("ready", "1 when /readyz says so", [](S s) { return s.ready; });
  rows.Gauge("draining", "1 when the process is about to stop", [](S s) { return s.draining; });
  rows.GaugeMs("drain_left_seconds", kDrainLeft, [](S s) { return TimeLeft(s.drain_left_ms); });
  return rows.Take();
}

std::vector<Metric<ConfigStatus>> ConfigMetrics() {
  using S = const ConfigStatus&;
  MetricRows<ConfigStatus> rows("config");
  rows.Info("info", "always 1; the labels say which configuration is running", [](S s) {
    return Labels{{"path", s.path}, {"hash", s.hash}};
  });
  rows.GaugeMs("load_time_seconds", "when the configuration was last taken over, since 1970",
               [](S s) { return s.loaded_unix_ms; });
  rows.Counter("reloads_total", "reloads that were taken over", [](S s) { return s.reloads; });
  rows.Counter("reloads_failed_total", "reloads that were refused",
               [](S s) { return s.reloads_failed; });
  rows.Gauge("last_reload_ok", "0 when the last reload was refused",
             [](S s) { return s.last_error.empty(); });
  return rows.Take();
}

std::vector<Metric<WorkerStatus>> WorkerMetrics() {
  using S = const WorkerStatus&;
  MetricRows<WorkerStatus> rows("worker", kWorkerNames);
  rows.Gauge("active_sessions", "sessions now", [](S s) { return s.sessions; });
  L4LB_WORKER_COUNTERS(L4LB_COUNTER)
  return rows.Take();
}

std::vector<Metric<ListenerStatus>> ListenerMetrics() {
  using S = const ListenerStatus&;
  MetricRows<ListenerStatus> rows("listener", kListenerNames);
  rows.Info("info", "always 1; the labels say which pool the listener leads to", [](S s) {
    return Labels{{"pool", s.pool}};
  });
  rows.Gauge("active_sessions", "sessions now", [](S s) { return s.active; });
  rows.Gauge("max_connections", "how many sessions there may be; 0: no limit of its own",
             [](S s) { return s.max_connections; });
  rows.Gauge("draining", "1 when the listener was told to take no new sessions",
             [](S s) { return s.draining; });
  rows.Gauge("removed", "1 when it is out of the configuration and its last sessions go on",
             [](S s) { return s.removed; });
  rows.GaugeMs("drain_left_seconds", kDrainLeft, [](S s) { return TimeLeft(s.drain_left_ms); });
  L4LB_LISTENER_COUNTERS(L4LB_COUNTER)
#define L4LB_REASON(name, meaning)                                               \
  rows.Counter("closed_total", "sessions that ended, by close reason", [](S s) { \
    return s.sums.closed_by_reason[static_cast<size_t>(CloseReason::name)];      \
  });                                                                            \
  rows.Label("reason", #name, meaning);
  L4LB_CLOSE_REASONS(L4LB_REASON)
#undef L4LB_REASON
#define L4LB_LIMIT(name, key)                                                                  \
  rows.Counter("refused_total", "sessions that ended with reason limit, by the limit",         \
               [](S s) { return s.sums.refused_by_limit[static_cast<size_t>(Limit::name)]; }); \
  rows.Label("limit", key, "refused because of this key of the configuration");
  L4LB_LIMITS(L4LB_LIMIT)
#undef L4LB_LIMIT
  L4LB_LISTENER_TIMINGS(L4LB_TIMING)
  return rows.Take();
}

std::vector<Metric<PoolStatus>> PoolMetrics() {
  using S = const PoolStatus&;
  MetricRows<PoolStatus> rows("pool");
  rows.Info("info", "always 1; the labels say how the pool picks a backend", [](S s) {
    return Labels{{"policy", s.policy}, {"table", s.table}, {"table_checksum", ChecksumText(s)}};
  });
  rows.Gauge("active_sessions", "sessions now", [](S s) { return s.active; });
  rows.Gauge("max_connections", "how many sessions there may be; 0: no limit",
             [](S s) { return s.max_connections; });
  rows.Gauge("waiting_sessions", "sessions that wait for a place", [](S s) { return s.waiting; });
  rows.Gauge("queue_limit", "how many sessions may wait", [](S s) { return s.queue_limit; });
  rows.Gauge("healthy_backends", "backends that are neither down nor ejected",
             [](S s) { return s.healthy; });
  rows.Gauge("fail_open", "1 when too few are healthy and all are taken as healthy",
             [](S s) { return s.fail_open; });
  L4LB_POOL_COUNTERS(L4LB_COUNTER)
  L4LB_POOL_TIMINGS(L4LB_TIMING)
  return rows.Take();
}

namespace {

void AddHealth(MetricRows<BackendStatus>& rows) {
  using S = const BackendStatus&;
  rows.Gauge("takes_sessions", "1 when new sessions may go there, all considered",
             [](S s) { return s.takes_sessions; });
  rows.Gauge("up", "0 when its checks have failed, 1 else; there only when it is checked",
             [](S s) { return UpOrDown(s.check.health); });
  rows.Gauge("ejected", "1 while it is taken out for what sessions met there",
             [](S s) { return s.ejected_left_ms >= 0; });
  rows.GaugeMs("slow_start_left_seconds",
               "until it has its full share; there only during a slow start",
               [](S s) { return TimeLeft(s.slow_start_left_ms); });
  rows.Gauge("slow", "1 when it takes much longer to connect to than the others",
             [](S s) { return s.slow; });
  rows.Counter("ejections_total", "times that it was taken out for what sessions met there",
               [](S s) { return s.ejections; });
  rows.Counter("early_resets_total", "connections that it reset before its first byte",
               [](S s) { return s.early_resets; });
  constexpr const char* kChecks = "health checks, by their result; there only when it is checked";
  rows.Counter("checks_total", kChecks, [](S s) { return CheckCount(s.check, s.check.passed); });
  rows.Label("result", "passed", "it answered as it should");
  rows.Counter("checks_total", kChecks, [](S s) { return CheckCount(s.check, s.check.failed); });
  rows.Label("result", "failed", "it did not");
  rows.Counter("checks_total", kChecks, [](S s) { return CheckCount(s.check, s.check.not_made); });
  rows.Label("result", "not_made", "we had no port, descriptor or memory for it");
}

}  // namespace

std::vector<Metric<BackendStatus>> BackendMetrics() {
  using S = const BackendStatus&;
  MetricRows<BackendStatus> rows("backend");
  rows.Gauge("active_sessions", "sessions now, those that connect included",
             [](S s) { return s.active; });
  rows.Gauge("max_connections", "how many sessions there may be; 0: no limit",
             [](S s) { return s.max_connections; });
  rows.Gauge("weight", "its share of new sessions; 0: none", [](S s) { return s.weight; });
  constexpr const char* kState = "1 for the state that the backend is in, 0 for the others";
  rows.Gauge("state", kState, [](S s) { return Is(s, BackendState::kReady); });
  rows.Label("state", Name(BackendState::kReady), "takes sessions");
  rows.Gauge("state", kState, [](S s) { return Is(s, BackendState::kDrain); });
  rows.Label("state", Name(BackendState::kDrain), "no new sessions; those it has go on");
  rows.Gauge("state", kState, [](S s) { return Is(s, BackendState::kDown); });
  rows.Label("state", Name(BackendState::kDown), "no new sessions; those it has are closed");
  rows.Gauge("state", kState, [](S s) { return s.removed; });
  rows.Label("state", "removed", "out of the configuration; its last sessions end");
  rows.Counter("sessions_total", "connections established since the start",
               [](S s) { return s.sessions; });
  rows.Counter("failures_total", "connections refused or not answered in time",
               [](S s) { return s.failures; });
  rows.GaugeMs("drain_left_seconds", kDrainLeft, [](S s) { return TimeLeft(s.drain_left_ms); });
  AddHealth(rows);
  return rows.Take();
}

#undef L4LB_COUNTER
#undef L4LB_TIMING

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/observe/reference/metric_notes.h"

#include <algorithm>

namespace l4lb {
namespace {

constexpr MetricNote kNotes[] = {
    {"l4lb_process_info", "none", "count by (version, engine) (l4lb_process_info)",
     "count(count by (version) (l4lb_process_info)) > 1"},
    {"l4lb_process_start_time_seconds", "seconds since 1970",
     "time() - l4lb_process_start_time_seconds",
     "changes(l4lb_process_start_time_seconds[15m]) > 2"},
    {"l4lb_process_uptime_seconds", "seconds", "l4lb_process_uptime_seconds < 300", ""},
    {"l4lb_process_active_sessions", "sessions",
     "l4lb_process_active_sessions / l4lb_process_max_connections",
     "l4lb_process_active_sessions / l4lb_process_max_connections > 0.9"},
    {"l4lb_process_max_connections", "sessions", "min(l4lb_process_max_connections)", ""},
    {"l4lb_process_open_files_limit", "files",
     "l4lb_process_max_connections / l4lb_process_open_files_limit", ""},
    {"l4lb_process_log_suppressed_lines_total", "lines",
     "rate(l4lb_process_log_suppressed_lines_total[5m])", ""},
    {"l4lb_process_access_log_lost_lines_total", "lines",
     "increase(l4lb_process_access_log_lost_lines_total[1h])",
     "increase(l4lb_process_access_log_lost_lines_total[10m]) > 0"},
    {"l4lb_process_ready", "0 or 1", "sum(l4lb_process_ready)", "l4lb_process_ready == 0"},
    {"l4lb_process_draining", "0 or 1", "sum(l4lb_process_draining)", ""},
    {"l4lb_process_drain_left_seconds", "seconds", "max(l4lb_process_drain_left_seconds)", ""},

    {"l4lb_config_info", "none", "count by (hash) (l4lb_config_info)",
     "count(count by (hash) (l4lb_config_info)) > 1"},
    {"l4lb_config_load_time_seconds", "seconds since 1970",
     "time() - l4lb_config_load_time_seconds", ""},
    {"l4lb_config_reloads_total", "reloads", "increase(l4lb_config_reloads_total[1d])", ""},
    {"l4lb_config_reloads_failed_total", "reloads",
     "increase(l4lb_config_reloads_failed_total[1d])", ""},
    {"l4lb_config_last_reload_ok", "0 or 1", "min(l4lb_config_last_reload_ok)",
     "l4lb_config_last_reload_ok == 0"},

    {"l4lb_worker_active_sessions", "sessions",
     "max by (instance) (l4lb_worker_active_sessions)"
     " / avg by (instance) (l4lb_worker_active_sessions)",
     ""},
    {"l4lb_worker_turns_total", "turns", "rate(l4lb_worker_turns_total[1m])", ""},
    {"l4lb_worker_handed_over_total", "connections",
     "sum by (instance) (rate(l4lb_worker_handed_over_total[5m]))"
     " / sum by (instance) (rate(l4lb_listener_accepted_total[5m]))",
     ""},
    {"l4lb_worker_taken_over_total", "connections", "rate(l4lb_worker_taken_over_total[5m])", ""},
    {"l4lb_worker_copied_bytes_total", "bytes",
     "sum by (instance) (rate(l4lb_worker_copied_bytes_total[1m]))", ""},
    {"l4lb_worker_spliced_bytes_total", "bytes",
     "sum(rate(l4lb_worker_spliced_bytes_total[5m]))"
     " / (sum(rate(l4lb_worker_spliced_bytes_total[5m]))"
     " + sum(rate(l4lb_worker_copied_bytes_total[5m])))",
     ""},
    {"l4lb_worker_buffers_in_use", "buffers", "max_over_time(l4lb_worker_buffers_in_use[1h])", ""},
    {"l4lb_worker_buffer_waits_total", "waits", "rate(l4lb_worker_buffer_waits_total[5m])",
     "rate(l4lb_worker_buffer_waits_total[5m]) > 1"},
    {"l4lb_worker_pipes_open", "pipes", "sum by (instance) (l4lb_worker_pipes_open)", ""},
    {"l4lb_worker_pipes_in_use", "pipes", "l4lb_worker_pipes_in_use / l4lb_worker_pipes_open", ""},
    {"l4lb_worker_access_log_dropped_lines_total", "lines",
     "sum(increase(l4lb_worker_access_log_dropped_lines_total[1h]))",
     "increase(l4lb_worker_access_log_dropped_lines_total[10m]) > 0"},
    {"l4lb_worker_log_suppressed_lines_total", "lines",
     "sum(rate(l4lb_worker_log_suppressed_lines_total[5m]))", ""},

    {"l4lb_listener_info", "none",
     "sum by (pool) (l4lb_listener_active_sessions"
     " * on (instance, listener) group_left (pool) l4lb_listener_info)",
     ""},
    {"l4lb_listener_active_sessions", "sessions",
     "sum by (listener) (l4lb_listener_active_sessions)",
     "l4lb_listener_active_sessions / (l4lb_listener_max_connections > 0) > 0.9"},
    {"l4lb_listener_max_connections", "sessions", "l4lb_listener_max_connections > 0", ""},
    {"l4lb_listener_draining", "0 or 1", "l4lb_listener_draining == 1", ""},
    {"l4lb_listener_removed", "0 or 1", "l4lb_listener_removed == 1", ""},
    {"l4lb_listener_drain_left_seconds", "seconds", "max(l4lb_listener_drain_left_seconds)", ""},
    {"l4lb_listener_accepted_total", "connections",
     "sum by (listener) (rate(l4lb_listener_accepted_total[1m]))", ""},
    {"l4lb_listener_accept_errors_total", "errors", "rate(l4lb_listener_accept_errors_total[5m])",
     "increase(l4lb_listener_accept_errors_total[5m]) > 0"},
    {"l4lb_listener_pauses_total", "pauses",
     "sum by (listener, reason) (increase(l4lb_listener_pauses_total[1h]))",
     "increase(l4lb_listener_pauses_total{reason=~\"no_fd|max_connections\"}[5m]) > 0"},
    {"l4lb_listener_client_taken_bytes_total", "bytes",
     "rate(l4lb_listener_client_taken_bytes_total[1m])", ""},
    {"l4lb_listener_client_delivered_bytes_total", "bytes",
     "8 * sum by (listener) (rate(l4lb_listener_client_delivered_bytes_total[1m]))", ""},
    {"l4lb_listener_client_dropped_bytes_total", "bytes",
     "increase(l4lb_listener_client_dropped_bytes_total[1h])", ""},
    {"l4lb_listener_backend_taken_bytes_total", "bytes",
     "rate(l4lb_listener_backend_taken_bytes_total[1m])", ""},
    {"l4lb_listener_backend_delivered_bytes_total", "bytes",
     "8 * sum by (listener) (rate(l4lb_listener_backend_delivered_bytes_total[1m]))", ""},
    {"l4lb_listener_backend_dropped_bytes_total", "bytes",
     "increase(l4lb_listener_backend_dropped_bytes_total[1h])", ""},
    {"l4lb_listener_closed_total", "sessions",
     "topk(5, sum by (reason) (rate(l4lb_listener_closed_total[5m])))",
     "sum by (listener) (rate(l4lb_listener_closed_total{reason=~"
     "\"connect_.*|no_.*|queue_.*|backend_lost|internal\"}[5m]))"
     " / sum by (listener) (rate(l4lb_listener_closed_total[5m])) > 0.01"},
    {"l4lb_listener_refused_total", "sessions",
     "sum by (listener, limit) (increase(l4lb_listener_refused_total[1h]))", ""},
    {"l4lb_listener_session_duration_seconds", "seconds",
     "histogram_quantile(0.5, sum by (listener, le)"
     " (rate(l4lb_listener_session_duration_seconds_bucket[1h])))",
     ""},
    {"l4lb_listener_session_client_bytes", "bytes",
     "histogram_quantile(0.9, sum by (listener, le)"
     " (rate(l4lb_listener_session_client_bytes_bucket[1h])))",
     ""},
    {"l4lb_listener_session_backend_bytes", "bytes",
     "rate(l4lb_listener_session_backend_bytes_sum[1h])"
     " / rate(l4lb_listener_session_backend_bytes_count[1h])",
     ""},

    {"l4lb_pool_info", "none", "count by (pool, table_checksum) (l4lb_pool_info)",
     "count by (pool) (count by (pool, table_checksum) (l4lb_pool_info)) > 1"},
    {"l4lb_pool_active_sessions", "sessions", "sum by (pool) (l4lb_pool_active_sessions)",
     "l4lb_pool_active_sessions / (l4lb_pool_max_connections > 0) > 0.9"},
    {"l4lb_pool_max_connections", "sessions", "l4lb_pool_max_connections > 0", ""},
    {"l4lb_pool_waiting_sessions", "sessions", "max_over_time(l4lb_pool_waiting_sessions[1h])",
     "min_over_time(l4lb_pool_waiting_sessions[5m]) > 0"},
    {"l4lb_pool_queue_limit", "sessions", "l4lb_pool_waiting_sessions / l4lb_pool_queue_limit", ""},
    {"l4lb_pool_healthy_backends", "backends", "l4lb_pool_healthy_backends",
     "l4lb_pool_healthy_backends < 2"},
    {"l4lb_pool_fail_open", "0 or 1", "sum(l4lb_pool_fail_open)", "l4lb_pool_fail_open == 1"},
    {"l4lb_pool_connects_total", "connections",
     "sum by (pool) (rate(l4lb_pool_connects_total[1m]))", ""},
    {"l4lb_pool_connects_established_total", "connections",
     "rate(l4lb_pool_connects_established_total[5m]) / rate(l4lb_pool_connects_total[5m])", ""},
    {"l4lb_pool_connects_failed_total", "connections",
     "rate(l4lb_pool_connects_failed_total[5m]) / rate(l4lb_pool_connects_total[5m])",
     "rate(l4lb_pool_connects_failed_total[5m]) / rate(l4lb_pool_connects_total[5m]) > 0.05"},
    {"l4lb_pool_connects_abandoned_total", "connections",
     "increase(l4lb_pool_connects_abandoned_total[1h])", ""},
    {"l4lb_pool_retries_total", "connections",
     "rate(l4lb_pool_retries_total[5m]) / rate(l4lb_pool_connects_total[5m])", ""},
    {"l4lb_pool_queued_total", "sessions", "sum by (pool) (rate(l4lb_pool_queued_total[5m]))", ""},
    {"l4lb_pool_queue_full_total", "sessions", "increase(l4lb_pool_queue_full_total[1h])",
     "increase(l4lb_pool_queue_full_total[5m]) > 0"},
    {"l4lb_pool_queue_timeouts_total", "sessions", "increase(l4lb_pool_queue_timeouts_total[1h])",
     "increase(l4lb_pool_queue_timeouts_total[5m]) > 0"},
    {"l4lb_pool_queue_seconds", "seconds",
     "histogram_quantile(0.99, sum by (pool, le) (rate(l4lb_pool_queue_seconds_bucket[5m])))", ""},
    {"l4lb_pool_connect_seconds", "seconds",
     "histogram_quantile(0.99, sum by (pool, le) (rate(l4lb_pool_connect_seconds_bucket[5m])))",
     "histogram_quantile(0.99, sum by (pool, le) (rate(l4lb_pool_connect_seconds_bucket[5m]))) > "
     "1"},
    {"l4lb_pool_first_byte_seconds", "seconds",
     "histogram_quantile(0.95, sum by (pool, le) (rate(l4lb_pool_first_byte_seconds_bucket[5m])))",
     ""},

    {"l4lb_backend_active_sessions", "sessions",
     "max by (pool) (l4lb_backend_active_sessions) / avg by (pool) (l4lb_backend_active_sessions)",
     "l4lb_backend_active_sessions / (l4lb_backend_max_connections > 0) > 0.9"},
    {"l4lb_backend_max_connections", "sessions", "sum by (pool) (l4lb_backend_max_connections)",
     ""},
    {"l4lb_backend_weight", "shares of the pool",
     "l4lb_backend_weight / on (instance, pool) group_left ()"
     " sum by (instance, pool) (l4lb_backend_weight)",
     ""},
    {"l4lb_backend_state", "0 or 1", "count by (pool, state) (l4lb_backend_state == 1)",
     "avg by (pool) (l4lb_backend_state{state=\"ready\"}) < 0.5"},
    {"l4lb_backend_sessions_total", "sessions",
     "sum by (pool, backend) (rate(l4lb_backend_sessions_total[5m]))", ""},
    {"l4lb_backend_failures_total", "connections", "topk(5, rate(l4lb_backend_failures_total[5m]))",
     "rate(l4lb_backend_failures_total[5m])"
     " > 0.5 * rate(l4lb_backend_sessions_total[5m])"},
    {"l4lb_backend_drain_left_seconds", "seconds",
     "max by (pool, backend) (l4lb_backend_drain_left_seconds)", ""},
    {"l4lb_backend_takes_sessions", "0 or 1", "sum by (pool) (l4lb_backend_takes_sessions)",
     "sum by (pool) (l4lb_backend_takes_sessions) == 0"},
    {"l4lb_backend_up", "0 or 1", "count by (pool) (l4lb_backend_up == 0)", "l4lb_backend_up == 0"},
    {"l4lb_backend_ejected", "0 or 1", "count by (pool) (l4lb_backend_ejected == 1)",
     "l4lb_backend_ejected == 1"},
    {"l4lb_backend_slow_start_left_seconds", "seconds",
     "max by (pool, backend) (l4lb_backend_slow_start_left_seconds)", ""},
    {"l4lb_backend_slow", "0 or 1", "l4lb_backend_slow == 1", "l4lb_backend_slow == 1"},
    {"l4lb_backend_ejections_total", "ejections",
     "topk(5, increase(l4lb_backend_ejections_total[1h]))",
     "increase(l4lb_backend_ejections_total[1h]) > 3"},
    {"l4lb_backend_early_resets_total", "connections",
     "topk(5, rate(l4lb_backend_early_resets_total[5m]))", ""},
    {"l4lb_backend_checks_total", "checks",
     "sum by (pool, backend, result) (rate(l4lb_backend_checks_total[5m]))",
     "rate(l4lb_backend_checks_total{result=\"failed\"}[5m]) > ignoring (result)"
     " 0.1 * rate(l4lb_backend_checks_total{result=\"passed\"}[5m])"},
};

}  // namespace

std::span<const MetricNote> MetricNotes() { return kNotes; }

const MetricNote* FindMetricNote(std::string_view name) {
  const auto* note = std::find_if(std::begin(kNotes), std::end(kNotes), [name](const auto& n) {
    return std::string_view(n.name) == name;
  });
  return note == std::end(kNotes) ? nullptr : note;
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/status_json.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/observe/close_reason.h"
#include "l4lb/observe/limit.h"

namespace l4lb {
namespace {

void WriteTexts(std::string_view name, const std::vector<std::string>& texts, JsonWriter* json) {
  json->Key(name).BeginArray();
  for (const std::string& text : texts) json->Text(text);
  json->EndArray();
}

#define L4LB_FIELD(name, meaning) json->Key(#name).Number(sums.name);

void WriteSums(const ListenerSums& sums, JsonWriter* json) {
  json->Key("sums").BeginObject();
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
  json->Key("closed_by_reason").BeginObject();
  for (int i = 0; i < kCloseReasons; ++i) {
    json->Key(Name(static_cast<CloseReason>(i))).Number(sums.closed_by_reason[i]);
  }
  json->EndObject();
  json->Key("refused_by_limit").BeginObject();
  for (int i = 1; i < kLimits; ++i) {
    json->Key(KeyOf(static_cast<Limit>(i))).Number(sums.refused_by_limit[i]);
  }
  json->EndObject();
  json->EndObject();
}

void WriteSums(const PoolSums& sums, JsonWriter* json) {
  json->Key("sums").BeginObject();
  L4LB_POOL_COUNTERS(L4LB_FIELD)
  json->EndObject();
}

void WriteSums(const WorkerSums& sums, JsonWriter* json) {
  json->Key("sums").BeginObject();
  L4LB_WORKER_COUNTERS(L4LB_FIELD)
  json->EndObject();
}

#undef L4LB_FIELD

template <typename Sums>
void WriteHistogram(std::string_view name, const Sums& sums, JsonWriter* json) {
  json->Key(name).BeginObject();
  json->Key("count").Number(sums.count());
  json->Key("sum").Number(sums.sum);
  json->Key("bounds").BeginArray();
  for (const uint64_t bound : Sums::kBounds) json->Number(bound);
  json->EndArray();
  json->Key("counts").BeginArray();
  for (const uint64_t count : sums.counts) json->Number(count);
  json->EndArray();
  json->EndObject();
}

#define L4LB_FIELD(name, bounds, unit, meaning) WriteHistogram(#name, timings.name, json);

void WriteTimings(const ListenerTimings& timings, JsonWriter* json) {
  json->Key("timings").BeginObject();
  L4LB_LISTENER_TIMINGS(L4LB_FIELD)
  json->EndObject();
}

void WriteTimings(const PoolTimings& timings, JsonWriter* json) {
  json->Key("timings").BeginObject();
  L4LB_POOL_TIMINGS(L4LB_FIELD)
  json->EndObject();
}

#undef L4LB_FIELD

void WriteConfig(const ConfigStatus& config, JsonWriter* json) {
  json->Key("config").BeginObject();
  json->Key("path").Text(config.path);
  json->Key("hash").Text(config.hash);
  json->Key("loaded_unix_ms").Number(config.loaded_unix_ms);
  json->Key("reloads").Number(config.reloads);
  json->Key("reloads_failed").Number(config.reloads_failed);
  json->Key("last_error").Text(config.last_error);
  json->EndObject();
}

void WriteListenerFields(const ListenerStatus& listener, JsonWriter* json) {
  json->Key("name").Text(listener.name);
  json->Key("pool").Text(listener.pool);
  WriteTexts("addresses", listener.addresses, json);
  json->Key("active").Number(listener.active);
  json->Key("max_connections").Number(listener.max_connections);
  json->Key("draining").Bool(listener.draining);
  json->Key("removed").Bool(listener.removed);
  json->Key("drain_left_ms").Number(listener.drain_left_ms);
  WriteSums(listener.sums, json);
}

void WritePoolFields(const PoolStatus& pool, JsonWriter* json) {
  json->Key("name").Text(pool.name);
  json->Key("policy").Text(pool.policy);
  json->Key("active").Number(pool.active);
  json->Key("max_connections").Number(pool.max_connections);
  json->Key("waiting").Number(pool.waiting);
  json->Key("queue_limit").Number(pool.queue_limit);
  json->Key("healthy").Number(pool.healthy);
  json->Key("fail_open").Bool(pool.fail_open);
  json->Key("table").Text(pool.table);
  json->Key("table_checksum")
      .Text(pool.table.empty() ? "" : absl::StrFormat("%016x", pool.table_checksum));
  json->Key("backend_count").Number(pool.backends.size());
  WriteSums(pool.sums, json);
}

void WriteCheck(const CheckStatus& check, JsonWriter* json) {
  json->Key("check").BeginObject();
  json->Key("health").Text(Name(check.health));
  json->Key("passed").Number(check.passed);
  json->Key("failed").Number(check.failed);
  json->Key("not_made").Number(check.not_made);
  json->Key("last_passed").Bool(check.last_passed);
  json->Key("last_reason").Text(check.last_reason);
  json->Key("last_latency_us").Number(check.last_latency_us);
  json->Key("last_unix_ms").Number(check.last_unix_ms);
  json->Key("next_in_ms").Number(check.next_in_ms);
  json->Key("suspicion").Decimal(check.suspicion);
  json->EndObject();
}

void WriteSession(const SessionStatus& session, JsonWriter* json) {
  json->BeginObject();
  json->Key("id").Text(absl::StrCat(session.id));
  json->Key("listener").Text(session.listener);
  json->Key("pool").Text(session.pool);
  json->Key("client").Text(session.client);
  json->Key("backend").Text(session.backend);
  json->Key("phase").Text(Name(session.phase));
  json->Key("worker").Number(session.worker);
  json->Key("age_ms").Number(session.age_ms);
  json->Key("idle_ms").Number(session.idle_ms);
  json->Key("client_bytes").Number(session.client_bytes);
  json->Key("backend_bytes").Number(session.backend_bytes);
  json->Key("half_closed").Bool(session.half_closed);
  json->EndObject();
}

}  // namespace

void WriteListener(const ListenerStatus& listener, JsonWriter* json) {
  json->BeginObject();
  WriteListenerFields(listener, json);
  WriteTimings(listener.timings, json);
  json->EndObject();
}

void WriteBackend(const BackendStatus& backend, JsonWriter* json) {
  json->BeginObject();
  json->Key("name").Text(backend.name);
  json->Key("address").Text(backend.address);
  json->Key("weight").Number(backend.weight);
  json->Key("max_connections").Number(backend.max_connections);
  json->Key("state").Text(Name(backend.state));
  WriteTexts("overrides", backend.overrides, json);
  json->Key("by_api").Bool(backend.by_api);
  json->Key("removed").Bool(backend.removed);
  json->Key("active").Number(backend.active);
  json->Key("sessions").Number(backend.sessions);
  json->Key("failures").Number(backend.failures);
  json->Key("drain_left_ms").Number(backend.drain_left_ms);
  json->Key("backup").Bool(backend.backup);
  json->Key("takes_sessions").Bool(backend.takes_sessions);
  json->Key("early_resets").Number(backend.early_resets);
  json->Key("ejections").Number(backend.ejections);
  json->Key("ejected_left_ms").Number(backend.ejected_left_ms);
  json->Key("slow_start_left_ms").Number(backend.slow_start_left_ms);
  json->Key("slow").Bool(backend.slow);
  WriteCheck(backend.check, json);
  json->EndObject();
}

void WritePool(const PoolStatus& pool, Backends backends, JsonWriter* json) {
  json->BeginObject();
  WritePoolFields(pool, json);
  WriteTimings(pool.timings, json);
  if (backends == Backends::kWith) {
    json->Key("backends").BeginArray();
    for (const BackendStatus& backend : pool.backends) WriteBackend(backend, json);
    json->EndArray();
  }
  json->EndObject();
}

void WriteWorkers(const std::vector<WorkerStatus>& workers, JsonWriter* json) {
  json->BeginArray();
  for (const WorkerStatus& worker : workers) {
    json->BeginObject();
    json->Key("sessions").Number(worker.sessions);
    WriteSums(worker.sums, json);
    json->EndObject();
  }
  json->EndArray();
}

void WriteStatus(const ProcessStatus& status, JsonWriter* json) {
  json->BeginObject();
  json->Key("version").Text(status.version);
  json->Key("engine").Text(status.engine);
  json->Key("engine_why").Text(status.engine_why);
  json->Key("pid").Number(status.pid);
  json->Key("start_unix_ms").Number(status.start_unix_ms);
  json->Key("uptime_ms").Number(status.uptime_ms);
  json->Key("active").Number(status.active);
  json->Key("max_connections").Number(status.max_connections);
  json->Key("open_files_limit").Number(status.open_files_limit);
  json->Key("log_suppressed").Number(status.log_suppressed);
  json->Key("access_log_lost").Number(status.access_log_lost);
  json->Key("ready").Bool(status.ready);
  json->Key("draining").Bool(status.draining);
  json->Key("drain_left_ms").Number(status.drain_left_ms);
  WriteConfig(status.config, json);
  WriteWorkers(status.workers, &json->Key("workers"));
  json->Key("listeners").BeginArray();
  for (const ListenerStatus& listener : status.listeners) {
    json->BeginObject();
    WriteListenerFields(listener, json);
    json->EndObject();
  }
  json->EndArray();
  json->Key("pools").BeginArray();
  for (const PoolStatus& pool : status.pools) {
    json->BeginObject();
    WritePoolFields(pool, json);
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

void WriteSessions(const SessionList& list, JsonWriter* json) {
  json->BeginObject();
  json->Key("matching").Number(list.matching);
  json->Key("sessions").BeginArray();
  for (const SessionStatus& session : list.sessions) WriteSession(session, json);
  json->EndArray();
  json->EndObject();
}

void WriteReport(const ReloadReport& report, JsonWriter* json) {
  json->BeginObject();
  json->Key("changed").Bool(report.changed);
  json->Key("hash").Text(report.hash);
  WriteTexts("changes", report.changes, json);
  WriteTexts("ignored", report.ignored, json);
  json->EndObject();
}

}  // namespace l4lb

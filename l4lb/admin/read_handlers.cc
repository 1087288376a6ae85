// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "l4lb/admin/answers.h"
#include "l4lb/admin/handlers.h"
#include "l4lb/admin/lookup.h"
#include "l4lb/admin/openapi.h"
#include "l4lb/admin/session_query.h"
#include "l4lb/admin/status_json.h"
#include "l4lb/observe/prometheus.h"

namespace l4lb {
namespace {

/// JSON that `write(status, json)` makes.
template <typename Write>
Response FromStatus(Control& control, const Write& write) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  if (!status.ok()) return ErrorAnswer(status.status());
  JsonWriter json;
  write(*status, json);
  return JsonAnswer(json.Take());
}

/// JSON that `write(pool, json)` makes of the pool that the path names.
template <typename Write>
Response FromPool(const Call& call, Control& control, const Write& write) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  if (!status.ok()) return ErrorAnswer(status.status());
  RequestError error;
  const PoolStatus* pool = FindNamed("pool", call.names[0], status->pools, &error);
  if (pool == nullptr) return ErrorAnswer(error);
  JsonWriter json;
  write(*pool, json);
  return JsonAnswer(json.Take());
}

}  // namespace

Response ListEndpoints(const Call&, Control&) {
  std::string text = "l4lb admin API; described at /v1/openapi.json\n\n";
  for (const Route& route : AllRoutes()) {
    absl::StrAppendFormat(&text, "%-6s %-46s %s\n", route.method, route.path, route.summary);
  }
  return TextAnswer(std::move(text));
}

Response GetHealth(const Call&, Control&) { return TextAnswer("ok\n"); }

Response GetReady(const Call&, Control& control) {
  if (control.ready()) return TextAnswer("ready\n");
  Response response = TextAnswer("not ready: no new sessions are taken\n");
  response.status = 503;
  return response;
}

Response GetMetrics(const Call&, Control& control) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  if (!status.ok()) return ErrorAnswer(status.status());
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = PrometheusText(*status)};
}

Response GetStatus(const Call&, Control& control) {
  return FromStatus(
      control, [](const ProcessStatus& status, JsonWriter& json) { WriteStatus(status, &json); });
}

Response GetListeners(const Call&, Control& control) {
  return FromStatus(control, [](const ProcessStatus& status, JsonWriter& json) {
    json.BeginArray();
    for (const ListenerStatus& listener : status.listeners) WriteListener(listener, &json);
    json.EndArray();
  });
}

Response GetListener(const Call& call, Control& control) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  if (!status.ok()) return ErrorAnswer(status.status());
  RequestError error;
  const auto* listener = FindNamed("listener", call.names[0], status->listeners, &error);
  if (listener == nullptr) return ErrorAnswer(error);
  JsonWriter json;
  WriteListener(*listener, &json);
  return JsonAnswer(json.Take());
}

Response GetPools(const Call&, Control& control) {
  return FromStatus(control, [](const ProcessStatus& status, JsonWriter& json) {
    json.BeginArray();
    for (const PoolStatus& pool : status.pools) WritePool(pool, Backends::kWithout, &json);
    json.EndArray();
  });
}

Response GetPool(const Call& call, Control& control) {
  return FromPool(call, control, [](const PoolStatus& pool, JsonWriter& json) {
    WritePool(pool, Backends::kWith, &json);
  });
}

Response GetBackends(const Call& call, Control& control) {
  return FromPool(call, control, [](const PoolStatus& pool, JsonWriter& json) {
    json.BeginArray();
    for (const BackendStatus& backend : pool.backends) WriteBackend(backend, &json);
    json.EndArray();
  });
}

Response GetBackend(const Call& call, Control& control) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  if (!status.ok()) return ErrorAnswer(status.status());
  RequestError error;
  const PoolStatus* pool = FindNamed("pool", call.names[0], status->pools, &error);
  if (pool == nullptr) return ErrorAnswer(error);
  const BackendStatus* backend = FindNamed("backend", call.names[1], pool->backends, &error);
  if (backend == nullptr) return ErrorAnswer(error);
  JsonWriter json;
  WriteBackend(*backend, &json);
  return JsonAnswer(json.Take());
}

Response GetSessions(const Call& call, Control& control) {
  SessionQuery query;
  RequestError error;
  if (!ParseSessionQuery(call.target, &query, &error)) return ErrorAnswer(error);
  const absl::StatusOr<SessionList> list = control.Sessions(query);
  if (!list.ok()) return ErrorAnswer(list.status());
  JsonWriter json;
  WriteSessions(*list, &json);
  return JsonAnswer(json.Take());
}

Response GetWorkers(const Call&, Control& control) {
  return FromStatus(control, [](const ProcessStatus& status, JsonWriter& json) {
    WriteWorkers(status.workers, &json);
  });
}

Response GetConfig(const Call&, Control& control) {
  absl::StatusOr<std::string> text = control.ConfigText();
  if (!text.ok()) return ErrorAnswer(text.status());
  return {.type = "application/yaml", .body = *std::move(text)};
}

Response GetOpenApi(const Call&, Control&) {
  return {.type = kJsonType, .body = std::string(OpenApiDocument())};
}

}  // namespace l4lb

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "l4lb/admin/answers.h"
#include "l4lb/admin/handlers.h"
#include "l4lb/admin/lookup.h"
#include "l4lb/admin/status_json.h"

namespace l4lb {
namespace {

bool ReadState(const JsonBody& body, std::optional<BackendState>* out, RequestError* error) {
  std::optional<std::string> text;
  if (!body.Read("state", &text, error)) return false;
  if (!text) return true;
  const auto* found = std::find(kBackendStates.begin(), kBackendStates.end(), *text);
  *out = static_cast<BackendState>(found - kBackendStates.begin());
  return true;
}

bool ReadChange(const JsonBody& body, BackendChange* out, RequestError* error) {
  return ReadState(body, &out->state, error) && body.Read("weight", &out->weight, error) &&
         body.Read("max_connections", &out->max_connections, error);
}

/// The state afterwards.  The change is made whatever comes now, so that no failure to show it may
/// look like a failure to make it.
Response ShowBackend(const std::string& pool_name, const std::string& name, Control& control) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  RequestError ignored;
  if (!status.ok()) return EmptyAnswer();
  const PoolStatus* pool = FindNamed("pool", pool_name, status->pools, &ignored);
  if (pool == nullptr) return EmptyAnswer();
  const BackendStatus* backend = FindNamed("backend", name, pool->backends, &ignored);
  if (backend == nullptr) return EmptyAnswer();
  JsonWriter json;
  WriteBackend(*backend, &json);
  return JsonAnswer(json.Take());
}

Response ShowListener(const std::string& name, Control& control) {
  const absl::StatusOr<ProcessStatus> status = control.Status();
  RequestError ignored;
  if (!status.ok()) return EmptyAnswer();
  const auto* listener = FindNamed("listener", name, status->listeners, &ignored);
  if (listener == nullptr) return EmptyAnswer();
  JsonWriter json;
  WriteListener(*listener, &json);
  return JsonAnswer(json.Take());
}

Response ClosingAnswer(const absl::StatusOr<int64_t>& closing) {
  if (!closing.ok()) return ErrorAnswer(closing.status());
  JsonWriter json;
  json.BeginObject();
  json.Key("closing").Number(*closing);
  json.EndObject();
  return JsonAnswer(json.Take());
}

bool ReadNewBackend(const JsonBody& body, NewBackend* out, RequestError* error) {
  BackendChange values;
  std::optional<std::string> name;
  std::optional<std::string> address;
  std::optional<bool> backup;
  if (!body.Read("name", &name, error) || !body.Read("address", &address, error) ||
      !body.Read("backup", &backup, error) || !ReadChange(body, &values, error)) {
    return false;
  }
  if (!address) {
    *error = {.what = "a backend needs an address",
              .right = "such as {\"address\": \"10.0.0.1:5432\"}",
              .field = "address"};
    return false;
  }
  *out = {.name = name.value_or(""),
          .address = *address,
          .weight = values.weight.value_or(1),
          .max_connections = values.max_connections.value_or(0),
          .state = values.state.value_or(BackendState::kReady),
          .backup = backup.value_or(false)};
  return true;
}

}  // namespace

Response AddBackend(const Call& call, Control& control) {
  NewBackend backend;
  RequestError error;
  if (!ReadNewBackend(call.body, &backend, &error)) return ErrorAnswer(error);
  const absl::Status status = control.AddBackend(call.names[0], backend, call.caller);
  if (!status.ok()) return ErrorAnswer(status);
  const std::string name = backend.name.empty() ? backend.address : backend.name;
  Response response = ShowBackend(call.names[0], name, control);
  response.status = 201;
  response.headers.emplace_back("Location", absl::StrCat("/v1/pools/", PercentEncode(call.names[0]),
                                                         "/backends/", PercentEncode(name)));
  return response;
}

Response ChangeBackend(const Call& call, Control& control) {
  BackendChange change;
  RequestError error;
  if (call.body.empty()) {
    return ErrorAnswer(RequestError{.what = "there is nothing to change",
                                    .right = "such as {\"state\": \"drain\"} or {\"weight\": 5}"});
  }
  if (!ReadChange(call.body, &change, &error)) return ErrorAnswer(error);
  const absl::Status status =
      control.ChangeBackend(call.names[0], call.names[1], change, call.caller);
  if (!status.ok()) return ErrorAnswer(status);
  return ShowBackend(call.names[0], call.names[1], control);
}

Response RemoveBackend(const Call& call, Control& control) {
  const absl::Status status = control.RemoveBackend(call.names[0], call.names[1], call.caller);
  return status.ok() ? EmptyAnswer() : ErrorAnswer(status);
}

Response CloseBackend(const Call& call, Control& control) {
  return ClosingAnswer(control.CloseSessionsOf(call.names[0], call.names[1], call.caller));
}

Response DrainBackend(const Call& call, Control& control) {
  const absl::Status status = control.DrainBackend(call.names[0], call.names[1], call.caller);
  return status.ok() ? ShowBackend(call.names[0], call.names[1], control) : ErrorAnswer(status);
}

Response UndrainBackend(const Call& call, Control& control) {
  const absl::Status status = control.UndrainBackend(call.names[0], call.names[1], call.caller);
  return status.ok() ? ShowBackend(call.names[0], call.names[1], control) : ErrorAnswer(status);
}

Response RebalancePool(const Call& call, Control& control) {
  return ClosingAnswer(control.Rebalance(call.names[0], call.caller));
}

Response DrainListener(const Call& call, Control& control) {
  const absl::Status status = control.DrainListener(call.names[0], call.caller);
  return status.ok() ? ShowListener(call.names[0], control) : ErrorAnswer(status);
}

Response UndrainListener(const Call& call, Control& control) {
  const absl::Status status = control.UndrainListener(call.names[0], call.caller);
  return status.ok() ? ShowListener(call.names[0], control) : ErrorAnswer(status);
}

Response CloseSession(const Call& call, Control& control) {
  uint64_t id = 0;
  if (!absl::SimpleAtoi(call.names[0], &id)) {
    return ErrorAnswer(RequestError{.what = absl::StrCat(Quoted(call.names[0]), " is no id"),
                                    .right = "a whole number, as /v1/sessions shows it"});
  }
  const absl::Status status = control.CloseSession(id, call.caller);
  return status.ok() ? EmptyAnswer() : ErrorAnswer(status);
}

Response ReloadConfig(const Call& call, Control& control) {
  const absl::StatusOr<ReloadReport> report = control.Reload(call.caller);
  if (!report.ok()) return ErrorAnswer(report.status());
  JsonWriter json;
  WriteReport(*report, &json);
  return JsonAnswer(json.Take());
}

Response DrainProcess(const Call& call, Control& control) {
  const absl::Status status = control.DrainProcess(call.caller);
  if (!status.ok()) return ErrorAnswer(status);
  Response response = JsonAnswer("{\"draining\":true}");
  response.status = 202;
  return response;
}

}  // namespace l4lb

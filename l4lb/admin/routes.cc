// SPDX-License-Identifier: Apache-2.0
#include "l4lb/admin/routes.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "l4lb/admin/handlers.h"
#include "l4lb/config/suggest.h"
#include "l4lb/config/utf8.h"

namespace l4lb {
namespace {

constexpr char kBackendPath[] = "/v1/pools/{pool}/backends/{backend}";

std::vector<Route> OpenRoutes() {
  return {
      {"GET", "/", "The endpoints, for people", ListEndpoints, {}, {}, false, true},
      {"GET", "/healthz", "The process lives", GetHealth, {}, {}, true, true},
      {"GET", "/readyz", "It takes new sessions", GetReady, {}, {}, true, true},
      {"GET", "/metrics", "All figures in the Prometheus text format", GetMetrics},
      {"GET", "/v1/openapi.json", "This API as OpenAPI 3.1", GetOpenApi, {}, {}, false, true},
  };
}

std::vector<Route> ReadRoutes() {
  return {
      {"GET", "/v1/status", "The process, its listeners, pools and workers", GetStatus},
      {"GET", "/v1/listeners", "All listeners", GetListeners},
      {"GET", "/v1/listeners/{listener}", "One listener", GetListener},
      {"GET", "/v1/pools", "All pools, without their backends", GetPools},
      {"GET", "/v1/pools/{pool}", "One pool with its backends", GetPool},
      {"GET", "/v1/pools/{pool}/backends", "The backends of a pool", GetBackends},
      {"GET", kBackendPath, "One backend", GetBackend},
      {"GET",
       "/v1/sessions",
       "Live sessions",
       GetSessions,
       {"listener", "pool", "backend", "client", "older_than", "idle_for", "sort", "limit"}},
      {"GET", "/v1/workers", "The threads that move bytes", GetWorkers},
      {"GET", "/v1/config", "The configuration in force, as a file", GetConfig},
  };
}

std::vector<Route> ChangeRoutes() {
  return {
      {"POST",
       "/v1/pools/{pool}/backends",
       "Add a backend",
       AddBackend,
       {},
       {"name", "address", "weight", "max_connections", "state", "backup"}},
      {"PATCH",
       kBackendPath,
       "Change state, weight or limit",
       ChangeBackend,
       {},
       {"state", "weight", "max_connections"}},
      {"DELETE", kBackendPath, "Remove a backend", RemoveBackend},
      {"POST", "/v1/pools/{pool}/backends/{backend}/close", "Close its sessions", CloseBackend},
      {"POST", "/v1/pools/{pool}/backends/{backend}/drain", "No new sessions", DrainBackend},
      {"POST", "/v1/pools/{pool}/backends/{backend}/undrain", "New sessions again", UndrainBackend},
      {"POST", "/v1/pools/{pool}/rebalance", "Even out its sessions", RebalancePool},
      {"POST", "/v1/listeners/{listener}/drain", "No new sessions", DrainListener},
      {"POST", "/v1/listeners/{listener}/undrain", "New sessions again", UndrainListener},
      {"DELETE", "/v1/sessions/{id}", "Close a session", CloseSession},
      {"POST", "/v1/reload", "Read the configuration file again", ReloadConfig},
      {"POST", "/v1/drain", "Stop the process once its sessions have ended", DrainProcess},
  };
}

std::vector<std::string_view> Segments(std::string_view path) {
  path.remove_prefix(1);
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return segments;
}

/// The route's path with the request's own words for its {...}, as far as there are any.
std::string FilledIn(const Route& route, const std::vector<std::string>& segments) {
  std::string path;
  const std::vector<std::string_view> wanted = Segments(route.path);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool named = wanted[i][0] == '{' && i < segments.size();
    absl::StrAppend(&path, "/", named ? PercentEncode(segments[i]) : std::string(wanted[i]));
  }
  return path.empty() ? "/" : path;
}

std::string NearestPath(const Target& target) {
  std::vector<std::string> segments = target.segments;
  const std::string path = target.path();
  std::vector<std::string> known;
  for (const Route& route : AllRoutes()) known.push_back(FilledIn(route, segments));
  const absl::string_view nearest = Nearest(path, {known.begin(), known.end()});
  if (!nearest.empty()) return std::string(nearest);
  segments.insert(segments.begin(), "v1");
  std::vector<std::string> ignored;
  for (const Route& route : AllRoutes()) {
    if (Matches(route, segments, &ignored)) return absl::StrCat("/v1", path);
  }
  return "";
}

RequestError NoSuchPath(const Target& target) {
  const std::string nearest = NearestPath(target);
  return {.status = 404,
          .what = absl::StrCat("no ", Quoted(target.path()), " here"),
          .right = nearest.empty() ? "/ lists the endpoints"
                                   : absl::StrCat("did you mean ", Printable(nearest), "?")};
}

}  // namespace

absl::Span<const Route> AllRoutes() {
  static const std::vector<Route>& routes = *[] {
    auto* all = new std::vector<Route>(OpenRoutes());
    for (Route& route : ReadRoutes()) all->push_back(route);
    for (Route& route : ChangeRoutes()) all->push_back(route);
    return all;
  }();
  return routes;
}

bool Matches(const Route& route, const std::vector<std::string>& segments,
             std::vector<std::string>* names) {
  const std::vector<std::string_view> wanted = Segments(route.path);
  names->clear();
  if (wanted.size() != segments.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i][0] != '{') {
      if (wanted[i] != segments[i]) return false;
    } else if (segments[i].empty()) {
      return false;
    } else {
      names->push_back(segments[i]);
    }
  }
  return true;
}

const Route* FindRoute(std::string_view method, const Target& target,
                       std::vector<std::string>* names, RequestError* error, std::string* allow) {
  std::vector<std::string> methods;
  for (const Route& route : AllRoutes()) {
    if (!Matches(route, target.segments, names)) continue;
    if (route.method == (method == "HEAD" ? "GET" : method)) return &route;
    methods.emplace_back(route.method);
    if (route.method == "GET") methods.emplace_back("HEAD");
  }
  if (methods.empty()) {
    *error = NoSuchPath(target);
    return nullptr;
  }
  *allow = absl::StrJoin(methods, ", ");
  const std::string shown = Printable(absl::string_view(method.data(), method.size()));
  *error = {.status = 405,
            .what = absl::StrCat(shown, " is no method of ", Printable(target.path())),
            .right = *allow};
  return nullptr;
}

}  // namespace l4lb

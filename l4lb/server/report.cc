// SPDX-License-Identifier: Apache-2.0
//
// What the server says of itself: the banner at start, and all counters as JSON.
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/net/clock.h"
#include "l4lb/server/server.h"
#include "l4lb/server/version.h"
#include "nlohmann/json.hpp"

namespace l4lb {
namespace {

using Json = nlohmann::ordered_json;

#define L4LB_FIELD(name, meaning) json[#name] = sums.name;

Json ToJson(const ListenerSums& sums) {
  Json json;
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
  Json& reasons = json["closed_by_reason"];
  for (int i = 0; i < kCloseReasons; ++i) {
    reasons[std::string(Name(static_cast<CloseReason>(i)))] = sums.closed_by_reason[i];
  }
  Json& limits = json["refused_by_limit"];
  for (int i = 1; i < kLimits; ++i) {
    limits[KeyOf(static_cast<Limit>(i))] = sums.refused_by_limit[i];
  }
  return json;
}

Json ToJson(const PoolSums& sums) {
  Json json;
  L4LB_POOL_COUNTERS(L4LB_FIELD)
  return json;
}

Json ToJson(const WorkerSums& sums) {
  Json json;
  L4LB_WORKER_COUNTERS(L4LB_FIELD)
  return json;
}

#undef L4LB_FIELD

// ", 65537 slots, checksum 0123456789abcdef" of a pool with a lookup table.
std::string TableText(const PoolSnapshot& pool) {
  if (pool.lookup == nullptr) return "";
  return absl::StrFormat(", %s, checksum %016x", pool.lookup->size_text(), pool.lookup->checksum());
}

std::string BackendText(const ManagedBackend& backend) {
  const std::string& name = backend.configured.name;
  return backend.weight() == 1 ? name : absl::StrCat(name, "*", backend.weight());
}

}  // namespace

std::string Server::Banner() {
  std::string banner = absl::StrFormat(
      "l4lb %s  engine %s (%s)  workers %d  max_connections %d (%d file descriptors)\n", kVersion,
      std::string(Name(engine_.kind)), engine_.why, workers_.size(), limits_.max_connections,
      limits_.open_files);
  for (const auto& listener : listeners_) {
    const ManagedPool& pool = *FindPool(listener->pool_id());
    const std::string backends =
        pool.backends().size() > 8
            ? absl::StrCat(pool.backends().size(), " backends")
            : absl::StrJoin(pool.backends(), " ", [](std::string* out, const auto& backend) {
                absl::StrAppend(out, BackendText(backend));
              });
    for (const auto& address : listener->addresses()) {
      absl::StrAppend(&banner, "listening   ", address->address, " -> pool ", pool.name(), " (",
                      std::string(Name(pool.snapshot()->policy)), TableText(*pool.snapshot()),
                      "): ", backends, "\n");
    }
  }
  return banner;
}

std::string Summary(const Config& config) {
  size_t backends = 0;
  for (const Config::Pool& pool : config.pools) backends += pool.backends.size();
  const Limits limits = LimitsFor(config);
  const auto count = [](size_t n, const char* noun) {
    return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
  };
  return absl::StrCat(count(config.listeners.size(), "listener"), ", ",
                      count(config.pools.size(), "pool"), ", ", count(backends, "backend"),
                      "; max_connections ", limits.max_connections, " of ", limits.open_files,
                      " file descriptors\n");
}

// Of the parts that server/ knows; what the process is about, its control loop adds.
ProcessStatus Server::Status() {
  workers_.Ask([](Worker& worker) { worker.Refresh(); });
  const int64_t now_ms = Clock::Real().NowMs();
  ProcessStatus status;
  status.version = kVersion;
  status.engine = std::string(Name(engine_.kind));
  status.engine_why = engine_.why;
  status.pid = ::getpid();
  status.start_unix_ms = start_unix_ms_;
  status.uptime_ms = absl::ToUnixMillis(absl::Now()) - start_unix_ms_;
  status.active = places_.used();
  status.max_connections = limits_.max_connections;
  status.open_files_limit = limits_.open_files;
  status.log_suppressed = events_->suppressed();
  status.access_log_lost = access_log_ == nullptr ? 0 : access_log_->lost();
  for (int worker = 0; worker < workers_.size(); ++worker) {
    WorkerStatus& of = status.workers.emplace_back();
    of.sums.Add(workers_.counters(worker));
    of.sessions = workers_.crew().sessions(worker);
  }
  for (const auto& listener : listeners_) status.listeners.push_back(listener->Status(now_ms));
  // Those that were replaced share the counters of who took their place.
  for (const auto& listener : gone_) {
    const std::string& name = listener->config().name;
    const auto same = [&name](const ListenerStatus& it) { return it.name == name; };
    if (std::none_of(status.listeners.begin(), status.listeners.end(), same)) {
      status.listeners.push_back(listener->Status(now_ms));
    }
  }
  const PoolHealth::CheckStatuses checks = CheckStatuses();
  for (const auto& pool : pools_) status.pools.push_back(pool->Status(now_ms, checks));
  for (const auto& pool : removed_pools_) {
    if (!pool->idle()) status.pools.push_back(pool->Status(now_ms, checks));
  }
  return status;
}

SessionList Server::Sessions(const SessionQuery& query) {
  struct Answer {
    std::mutex mutex;
    SessionList list;
  };
  auto answer = std::make_shared<Answer>();
  workers_.Ask([answer, query](Worker& worker) {
    SessionList found;
    found.matching = ListSessions(worker.sessions(), query, &found.sessions);
    const std::lock_guard lock(answer->mutex);
    answer->list.matching += found.matching;
    std::move(found.sessions.begin(), found.sessions.end(),
              std::back_inserter(answer->list.sessions));
  });
  const std::lock_guard lock(answer->mutex);  // A worker that is late may still come.
  SessionList list = answer->list;
  SortAndCut(query, &list.sessions);
  return list;
}

std::string Server::StatsJson() {
  const ProcessStatus status = Status();
  Json json;
  json["uptime_ms"] = status.uptime_ms;
  json["engine"] = status.engine;
  json["max_connections"] = status.max_connections;
  json["log_suppressed"] = status.log_suppressed;
  json["access_log_lost"] = status.access_log_lost;
  for (const WorkerStatus& of : status.workers) {
    Json worker = ToJson(of.sums);
    worker["sessions"] = of.sessions;
    json["workers"].push_back(std::move(worker));
  }
  for (const ListenerStatus& of : status.listeners) {
    Json listener = ToJson(of.sums);
    listener["active"] = of.active;
    json["listeners"][of.name] = std::move(listener);
  }
  for (const PoolStatus& of : status.pools) {
    Json pool = ToJson(of.sums);
    pool["waiting"] = of.waiting;
    for (const BackendStatus& backend : of.backends) {
      pool["backends"][backend.name] = {{"address", backend.address},
                                        {"weight", backend.weight},
                                        {"active", backend.active},
                                        {"sessions", backend.sessions},
                                        {"failures", backend.failures}};
    }
    json["pools"][of.name] = std::move(pool);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace l4lb

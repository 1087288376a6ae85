// SPDX-License-Identifier: Apache-2.0
//
// What the server says of itself: the banner at start, and all counters as JSON.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "l4lb/net/listen.h"
#include "l4lb/server/server.h"
#include "l4lb/server/version.h"
#include "nlohmann/json.hpp"

namespace l4lb {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const ListenerCounters& counters) {
  Json json;
#define L4LB_FIELD(name, meaning) json[#name] = counters.name.Get();
  L4LB_LISTENER_COUNTERS(L4LB_FIELD)
#undef L4LB_FIELD
  Json& reasons = json["closed_by_reason"];
  for (int i = 0; i < kCloseReasons; ++i) {
    reasons[std::string(Name(static_cast<CloseReason>(i)))] = counters.closed_by_reason[i].Get();
  }
  return json;
}

Json ToJson(const PoolCounters& counters) {
  Json json;
#define L4LB_FIELD(name, meaning) json[#name] = counters.name.Get();
  L4LB_POOL_COUNTERS(L4LB_FIELD)
#undef L4LB_FIELD
  return json;
}

Json ToJson(const WorkerCounters& counters) {
  Json json;
#define L4LB_FIELD(name, meaning) json[#name] = counters.name.Get();
  L4LB_WORKER_COUNTERS(L4LB_FIELD)
#undef L4LB_FIELD
  return json;
}

// Adds the numbers of `more` to those of `sum`, member by member.
void Add(Json& sum, const Json& more) {
  if (sum.is_null()) {
    sum = more;
    return;
  }
  for (const auto& [key, value] : more.items()) {
    if (value.is_object()) {
      Add(sum[key], value);
    } else {
      sum[key] = sum[key].get<uint64_t>() + value.get<uint64_t>();
    }
  }
}

std::string BackendText(const Backend& backend) {
  return backend.weight() == 1 ? backend.name()
                               : absl::StrCat(backend.name(), "*", backend.weight());
}

}  // namespace

std::string Server::Banner() const {
  std::string banner = absl::StrFormat(
      "l4lb %s  engine epoll  workers %d  max_connections %d (%d file descriptors)\n", kVersion,
      workers_.size(), limits_.max_connections, limits_.open_files);
  for (const auto& listening : listeners_) {
    const PoolSnapshot& pool = *pools_[listening->pool_index];
    const std::string backends =
        pool.backends.size() > 8
            ? absl::StrCat(pool.backends.size(), " backends")
            : absl::StrJoin(pool.backends, " ", [](std::string* out, const auto& backend) {
                absl::StrAppend(out, BackendText(*backend));
              });
    for (const std::string& address : listening->addresses) {
      absl::StrAppend(&banner, "listening   ", address, " -> pool ", pool.name, " (",
                      listening->policy, "): ", backends, "\n");
    }
  }
  return banner;
}

std::string Summary(const Config& config) {
  size_t backends = 0;
  for (const Config::Pool& pool : config.pools) backends += pool.backends.size();
  const Limits limits = ComputeLimits(RaiseOpenFileLimit(), config.workers, config.max_connections);
  const auto count = [](size_t n, const char* noun) {
    return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
  };
  return absl::StrCat(count(config.listeners.size(), "listener"), ", ",
                      count(config.pools.size(), "pool"), ", ", count(backends, "backend"),
                      "; max_connections ", limits.max_connections, " of ", limits.open_files,
                      " file descriptors\n");
}

std::string Server::StatsJson() {
  // Each task holds the notification: a worker that is late must not find it gone.
  for (auto& thread : workers_) {
    if (thread->worker().idle()) continue;  // Its last turn left everything up to date.
    auto fresh = std::make_shared<absl::Notification>();
    thread->worker().Post([fresh](Worker& worker) {
      worker.Refresh();
      fresh->Notify();
    });
    fresh->WaitForNotificationWithTimeout(absl::Seconds(1));
  }
  Json json;
  json["uptime_ms"] = absl::ToUnixMillis(absl::Now()) - start_unix_ms_;
  json["max_connections"] = limits_.max_connections;
  json["log_suppressed"] = events_->suppressed();
  for (const auto& thread : workers_) {
    json["workers"].push_back(ToJson(thread->worker().counters()));
  }
  for (size_t i = 0; i < listeners_.size(); ++i) {
    Json sum;
    for (const auto& thread : workers_) Add(sum, ToJson(thread->worker().listener_counters(i)));
    sum["active"] = sum["accepted"].get<uint64_t>() - sum["closed"].get<uint64_t>();
    json["listeners"][listeners_[i]->name] = std::move(sum);
  }
  for (size_t i = 0; i < pools_.size(); ++i) {
    Json sum;
    for (const auto& thread : workers_) Add(sum, ToJson(thread->worker().pool_counters(i)));
    for (const auto& backend : pools_[i]->backends) {
      sum["backends"][backend->name()] = {{"address", backend->address_text()},
                                          {"weight", backend->weight()},
                                          {"active", backend->active()},
                                          {"sessions", backend->sessions()},
                                          {"failures", backend->failures()}};
    }
    json["pools"][pools_[i]->name] = std::move(sum);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace l4lb

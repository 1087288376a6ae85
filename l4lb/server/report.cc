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
  Json& limits = json["refused_by_limit"];
  for (int i = 1; i < kLimits; ++i) {
    limits[KeyOf(static_cast<Limit>(i))] = counters.refused_by_limit[i].Get();
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

// ", 65537 slots, checksum 0123456789abcdef" of a pool with a lookup table.
std::string TableText(const PoolSnapshot& pool) {
  if (pool.lookup == nullptr) return "";
  return absl::StrFormat(", %s, checksum %016x", pool.lookup->size_text(), pool.lookup->checksum());
}

std::string MemberText(const PoolSnapshot::Member& member) {
  const std::string& name = member.backend->name();
  return member.weight == 1 ? name : absl::StrCat(name, "*", member.weight);
}

}  // namespace

std::string Server::Banner() const {
  std::string banner = absl::StrFormat(
      "l4lb %s  engine epoll  workers %d  max_connections %d (%d file descriptors)\n", kVersion,
      workers_.size(), limits_.max_connections, limits_.open_files);
  for (const auto& listening : listeners_) {
    const PoolSnapshot& pool = *pools_[listening->pool_index];
    const std::string backends =
        pool.members.size() > 8
            ? absl::StrCat(pool.members.size(), " backends")
            : absl::StrJoin(pool.members, " ", [](std::string* out, const auto& member) {
                absl::StrAppend(out, MemberText(member));
              });
    const std::string table = TableText(pool);
    for (const std::string& address : listening->addresses) {
      absl::StrAppend(&banner, "listening   ", address, " -> pool ", pool.name(), " (",
                      listening->policy, table, "): ", backends, "\n");
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
  json["access_log_lost"] = access_log_ == nullptr ? 0 : access_log_->lost();
  for (size_t i = 0; i < workers_.size(); ++i) {
    Json worker = ToJson(workers_[i]->worker().counters());
    worker["sessions"] = crew_.sessions(static_cast<int>(i));
    json["workers"].push_back(std::move(worker));
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
    sum["waiting"] = pools_[i]->pool->waiting();
    for (const auto& [backend, weight] : pools_[i]->members) {
      sum["backends"][backend->name()] = {{"address", backend->address_text()},
                                          {"weight", weight},
                                          {"active", backend->active()},
                                          {"sessions", backend->sessions()},
                                          {"failures", backend->failures()}};
    }
    json["pools"][pools_[i]->name()] = std::move(sum);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace l4lb

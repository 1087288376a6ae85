// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/build_pool.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/net/resolve.h"

namespace l4lb {
namespace {

int Seconds(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1))));
}

AgeLimit AgeLimitOf(const Config::MaxConnectionAge& config) {
  return {.age_ms = absl::ToInt64Milliseconds(config.age),
          .jitter_percent = static_cast<int>(config.jitter),
          .quiet_ms = absl::ToInt64Milliseconds(config.quiet),
          .grace_ms = absl::ToInt64Milliseconds(config.grace)};
}

std::vector<SocketAddress> SourcesOf(const Config::Pool& config) {
  std::vector<SocketAddress> sources;
  for (const std::string& text : config.source) {
    std::string error;
    CHECK(SocketAddress::ParseHost(text, &sources.emplace_back(), &error)) << text << ": " << error;
  }
  return sources;
}

}  // namespace

absl::StatusOr<std::vector<ConfiguredBackend>> ConfiguredBackends(const Config::Pool& config) {
  std::vector<ConfiguredBackend> backends;
  for (const Config::Backend& wanted : config.backends) {
    const absl::StatusOr<std::vector<SocketAddress>> addresses = Resolve(wanted.address);
    if (!addresses.ok()) {
      return absl::Status(addresses.status().code(),
                          absl::StrCat("backend ", wanted.name, " of pool ", config.name, ": ",
                                       addresses.status().message()));
    }
    for (const SocketAddress& address : *addresses) {
      backends.push_back({.name = addresses->size() == 1
                                      ? wanted.name
                                      : absl::StrCat(wanted.name, "@", address.ToString()),
                          .address = address,
                          .weight = static_cast<uint32_t>(wanted.weight),
                          .max_connections = wanted.max_connections,
                          .state = static_cast<BackendState>(wanted.state),
                          .backup = wanted.backup});
    }
  }
  if (backends.size() <= kMostBackends) return backends;
  return absl::InvalidArgumentError(
      absl::StrCat("pool ", config.name, " has more than ", kMostBackends,
                   " backends, all addresses of their names counted"));
}

void FillSettings(const Config::Pool& config, PoolSnapshot& snapshot) {
  snapshot.policy = PolicyOf(config.policy);
  snapshot.connect_timeout_ms = absl::ToInt64Milliseconds(config.connect_timeout);
  snapshot.retries = static_cast<int>(config.retries);
  snapshot.keepalive = KeepaliveOf(config);
  snapshot.dead_after_ms = absl::ToInt64Milliseconds(config.dead_after);
  snapshot.max_age = AgeLimitOf(config.max_connection_age);
  snapshot.slow_start = SlowStartOf(config);
  snapshot.queue_timeout_ms = absl::ToInt64Milliseconds(config.queue.timeout);
  snapshot.queue_per_backend = config.queue.per == Config::QueuePer::kBackend;
  snapshot.sources = SourcesOf(config);
  snapshot.hash_key =
      config.hash_key == Config::HashKey::kSourceIp ? HashKey::kSourceIp : HashKey::kSourceIpPort;
}

absl::Status GiveLookup(const Config::Pool& config, const std::vector<LookupNode>& nodes,
                        PoolSnapshot& snapshot) {
  if (nodes.empty()) {
    snapshot.policy = PolicyKind::kRandom;
    return absl::OkStatus();
  }
  const bool maglev = config.policy == Config::Policy::kMaglev;
  if (!maglev && config.policy != Config::Policy::kRing) return absl::OkStatus();
  const LookupOptions options = {.table_size = static_cast<uint32_t>(config.table_size),
                                 .points = static_cast<uint32_t>(config.points),
                                 .bounded_percent = static_cast<uint32_t>(config.bounded_load)};
  absl::StatusOr<std::shared_ptr<const Lookup>> lookup =
      maglev ? BuildMaglev(nodes, options) : BuildRing(nodes, options);
  if (!lookup.ok()) {
    return absl::Status(lookup.status().code(),
                        absl::StrCat("pool ", config.name, ": ", lookup.status().message()));
  }
  snapshot.lookup = *std::move(lookup);
  return absl::OkStatus();
}

SlowStart SlowStartOf(const Config::Pool& config) {
  const bool has_table =
      config.policy == Config::Policy::kMaglev || config.policy == Config::Policy::kRing;
  return {.time_ms = has_table ? 0 : absl::ToInt64Milliseconds(config.slow_start.time),
          .floor_percent = static_cast<int>(config.slow_start.floor)};
}

PolicyKind PolicyOf(Config::Policy policy) {
  switch (policy) {
    case Config::Policy::kRoundRobin:
      return PolicyKind::kRoundRobin;
    case Config::Policy::kRandom:
      return PolicyKind::kRandom;
    case Config::Policy::kLeastConnections:
      return PolicyKind::kLeastConnections;
    case Config::Policy::kP2c:
      return PolicyKind::kP2c;
    case Config::Policy::kMaglev:
      return PolicyKind::kMaglev;
    case Config::Policy::kRing:
      return PolicyKind::kRing;
  }
  LOG(FATAL) << "no such policy";
}

KeepaliveSeconds KeepaliveOf(const Config::Pool& config) {
  return {.idle_s = Seconds(config.keepalive.idle),
          .interval_s = Seconds(config.keepalive.interval),
          .count = static_cast<int>(config.keepalive.count)};
}

ListenOptions ListenOptionsOf(const Config::Listener& listener, const Config::Pool& pool) {
  return {.backlog = static_cast<int>(listener.backlog), .keepalive = KeepaliveOf(pool)};
}

PoolLimits LimitsOf(const Config::Pool& config) {
  return {.max_connections = config.max_connections, .queue = config.queue.limit};
}

}  // namespace l4lb

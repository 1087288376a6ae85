// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/build_pool.h"

#include <string>
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

std::vector<SocketAddress> SourcesOf(const Config::Pool& config) {
  std::vector<SocketAddress> sources;
  for (const std::string& text : config.source) {
    std::string error;
    CHECK(SocketAddress::ParseHost(text, &sources.emplace_back(), &error)) << text << ": " << error;
  }
  return sources;
}

absl::Status AddBackends(const Config::Backend& config, PoolSnapshot& snapshot) {
  const absl::StatusOr<std::vector<SocketAddress>> addresses = Resolve(config.address);
  if (!addresses.ok()) {
    return absl::Status(addresses.status().code(),
                        absl::StrCat("backend ", config.name, " of pool ", snapshot.name(), ": ",
                                     addresses.status().message()));
  }
  if (snapshot.members.size() + addresses->size() > kMostBackends) {
    return absl::InvalidArgumentError(
        absl::StrCat("pool ", snapshot.name(), " has more than ", kMostBackends,
                     " backends, all addresses of their names counted"));
  }
  const auto weight = static_cast<uint32_t>(config.weight);
  for (const SocketAddress& address : *addresses) {
    const std::string name =
        addresses->size() == 1 ? config.name : absl::StrCat(config.name, "@", address.ToString());
    snapshot.members.push_back(
        {snapshot.pool->Add(name, address, weight, config.max_connections), weight});
  }
  return absl::OkStatus();
}

// By the members' names: those of the configuration, but for host names with several addresses.
absl::Status BuildLookup(const Config::Pool& config, PoolSnapshot& snapshot) {
  std::vector<LookupNode> nodes;
  for (const PoolSnapshot::Member& member : snapshot.members) {
    nodes.push_back({member.backend->name(), member.weight, member.backend->slot()});
  }
  const LookupOptions options = {.table_size = static_cast<uint32_t>(config.table_size),
                                 .points = static_cast<uint32_t>(config.points),
                                 .bounded_percent = static_cast<uint32_t>(config.bounded_load)};
  absl::StatusOr<std::shared_ptr<const Lookup>> lookup = snapshot.policy == PolicyKind::kMaglev
                                                             ? BuildMaglev(nodes, options)
                                                             : BuildRing(nodes, options);
  if (!lookup.ok()) {
    return absl::Status(lookup.status().code(),
                        absl::StrCat("pool ", config.name, ": ", lookup.status().message()));
  }
  snapshot.lookup = *std::move(lookup);
  snapshot.hash_key =
      config.hash_key == Config::HashKey::kSourceIp ? HashKey::kSourceIp : HashKey::kSourceIpPort;
  return absl::OkStatus();
}

}  // namespace

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

absl::StatusOr<std::shared_ptr<const PoolSnapshot>> BuildPool(const Config::Pool& config) {
  auto snapshot = std::make_shared<PoolSnapshot>();
  snapshot->pool = std::make_shared<Pool>(
      config.name,
      PoolLimits{.max_connections = config.max_connections, .queue = config.queue.limit});
  snapshot->policy = PolicyOf(config.policy);
  snapshot->connect_timeout_ms = absl::ToInt64Milliseconds(config.connect_timeout);
  snapshot->retries = static_cast<int>(config.retries);
  snapshot->keepalive = KeepaliveOf(config);
  snapshot->dead_after_ms = absl::ToInt64Milliseconds(config.dead_after);
  snapshot->queue_timeout_ms = absl::ToInt64Milliseconds(config.queue.timeout);
  snapshot->queue_per_backend = config.queue.per == Config::QueuePer::kBackend;
  snapshot->sources = SourcesOf(config);
  for (const Config::Backend& backend : config.backends) {
    const absl::Status status = AddBackends(backend, *snapshot);
    if (!status.ok()) return status;
  }
  if (snapshot->policy == PolicyKind::kMaglev || snapshot->policy == PolicyKind::kRing) {
    const absl::Status status = BuildLookup(config, *snapshot);
    if (!status.ok()) return status;
  }
  return snapshot;
}

}  // namespace l4lb

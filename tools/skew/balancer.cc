// SPDX-License-Identifier: Apache-2.0
#include "tools/skew/balancer.h"

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/config/admin_address.h"
#include "l4lb/config/config.h"

namespace l4lb::skew {
namespace {

constexpr char kPool[] = "skew";

Config::Backend BackendOf(const Endpoint& endpoint) {
  return {.name = endpoint.name, .address = endpoint.address.ToString()};
}

Config::Pool PoolOf(const Options& options, Mode mode, const std::vector<Endpoint>& all) {
  Config::Pool pool;
  pool.name = kPool;
  pool.policy = TextOf(mode).policy;
  pool.on_remove = absl::Seconds(1);
  if (mode == Mode::kAge) {
    pool.max_connection_age = {.age = absl::Milliseconds(options.max_connection_age_ms),
                               .quiet = absl::Milliseconds(10),
                               .grace = absl::Seconds(1)};
  }
  for (int i = 0; i < options.backends; ++i) {
    pool.backends.push_back(BackendOf(all[static_cast<size_t>(i)]));
  }
  return pool;
}

}  // namespace

Balancer::Balancer(std::unique_ptr<Server> server, Mode mode, const std::vector<Endpoint>& all)
    : server_(std::move(server)), mode_(mode), all_(all), about_(server_->Status().engine) {}

absl::StatusOr<std::unique_ptr<Balancer>> Balancer::Start(const Options& options, Mode mode,
                                                          const std::vector<Endpoint>& all) {
  Config config;
  config.workers = 1;  // One core is left for clients and backends.
  config.admin.bind = kAdminOff;
  config.listeners = {{.name = kPool, .bind = {"127.0.0.1:0"}, .pool = kPool}};
  config.pools = {PoolOf(options, mode, all)};
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(config);
  if (!server.ok()) return server.status();
  return std::unique_ptr<Balancer>(new Balancer(*std::move(server), mode, all));
}

std::vector<SocketAddress> Balancer::targets() const {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(server_->FirstAddress(), &address, &error)) << error;
  return {address};
}

absl::Status Balancer::Add(int backend) {
  const Config::Backend added = BackendOf(all_[static_cast<size_t>(backend)]);
  const absl::Status status =
      server_->AddBackend(kPool, {.name = added.name, .address = added.address});
  if (!status.ok() || mode_ != Mode::kRebalance) return status;
  return server_->Rebalance(kPool).status();
}

absl::Status Balancer::Remove(int backend) {
  return server_->RemoveBackend(kPool, all_[static_cast<size_t>(backend)].name);
}

void Balancer::Tick() {
  server_->HandleNews();
  server_->Tick();
}

}  // namespace l4lb::skew

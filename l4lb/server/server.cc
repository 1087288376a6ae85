// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/server.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"

namespace l4lb {
namespace {

constexpr int64_t kLogPatienceMs = 2'000;  // For a disk or a pipe that is stuck at the end.
constexpr size_t kPipes = 1024;            // Per worker.

PolicyKind PolicyOf(Config::Policy policy) {
  switch (policy) {
    case Config::Policy::kRoundRobin:
      return PolicyKind::kRoundRobin;
  }
  LOG(FATAL) << "no such policy";
}

int Seconds(absl::Duration duration) {
  return static_cast<int>(absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1))));
}

KeepaliveSeconds KeepaliveOf(const Config::Pool& pool) {
  return {.idle_s = Seconds(pool.keepalive.idle),
          .interval_s = Seconds(pool.keepalive.interval),
          .count = static_cast<int>(pool.keepalive.count)};
}

SocketAddress MustParse(const std::string& text) {
  SocketAddress address;
  std::string error;
  CHECK(SocketAddress::Parse(text, &address, &error)) << text << ": " << error;
  return address;
}

// Ports whose IPv4 wildcard some listener binds: there the IPv6 wildcard must not be dual stack.
std::set<uint16_t> Ipv4WildcardPorts(const Config& config) {
  std::set<uint16_t> ports;
  for (const Config::Listener& listener : config.listeners) {
    for (const std::string& text : listener.bind) {
      const SocketAddress address = MustParse(text);
      if (address.family() == AF_INET && address.is_any()) ports.insert(address.port());
    }
  }
  return ports;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config) {
  auto server = std::unique_ptr<Server>(new Server(config));
  absl::Status status = server->OpenLogs(config);
  if (!status.ok()) return status;
  server->MakePools(config);
  status = server->Bind(config);
  if (!status.ok()) return status;
  status = server->StartWorkers(config);
  if (!status.ok()) return status;
  return server;
}

Server::Server(const Config& config)
    : limits_(ComputeLimits(RaiseOpenFileLimit(), config.workers, config.max_connections)),
      start_unix_ms_(absl::ToUnixMillis(absl::Now())),
      places_(limits_.max_connections) {}

Server::~Server() {
  for (auto& thread : workers_) {
    thread->worker().Post([](Worker& worker) {
      worker.StopListening();
      worker.CloseSessions(CloseReason::shutdown);
      worker.Hurry();
    });
  }
  workers_.clear();
  if (access_log_ == nullptr) return;
  const uint64_t lost = access_log_->Stop(kLogPatienceMs);
  if (lost > 0) LOG(ERROR) << lost << " access log lines were lost";
}

absl::Status Server::OpenLogs(const Config& config) {
  events_ = MakeEventLog();
  if (limits_.clamped) {
    LOG(WARNING) << "max_connections " << config.max_connections << " needs "
                 << config.max_connections * kFdsOfSession + kFdsOfProcess +
                        kFdsOfWorker * config.workers
                 << " file descriptors, the limit is " << limits_.open_files << ": "
                 << limits_.max_connections << " it is (raise the limit: ulimit -n, LimitNOFILE=)";
  }
  if (config.access_log.path.empty()) return absl::OkStatus();
  AccessLogOptions options;
  options.path = config.access_log.path;
  options.format = config.access_log.format == Config::LogFormat::kJson ? AccessLogFormat::kJson
                                                                        : AccessLogFormat::kText;
  options.workers = static_cast<int>(config.workers);
  options.events = events_.get();
  absl::StatusOr<std::unique_ptr<AccessLog>> log = OpenAccessLog(options);
  if (!log.ok()) return log.status();
  access_log_ = *std::move(log);
  return absl::OkStatus();
}

void Server::MakePools(const Config& config) {
  for (const Config::Pool& pool : config.pools) {
    auto snapshot = std::make_shared<PoolSnapshot>();
    snapshot->name = pool.name;
    snapshot->policy = PolicyOf(pool.policy);
    snapshot->connect_timeout_ms = absl::ToInt64Milliseconds(pool.connect_timeout);
    snapshot->retries = static_cast<int>(pool.retries);
    snapshot->keepalive = KeepaliveOf(pool);
    snapshot->dead_after_ms = absl::ToInt64Milliseconds(pool.dead_after);
    for (const Config::Backend& backend : pool.backends) {
      snapshot->backends.push_back(std::make_shared<Backend>(
          backend.name, MustParse(backend.address), static_cast<uint32_t>(backend.weight)));
    }
    pools_.push_back(std::move(snapshot));
  }
}

absl::Status Server::Bind(const Config& config) {
  const std::set<uint16_t> ipv4_ports = Ipv4WildcardPorts(config);
  for (const Config::Listener& wanted : config.listeners) {
    auto listening = std::make_unique<Listening>();
    const auto pool =
        std::find_if(config.pools.begin(), config.pools.end(),
                     [&wanted](const Config::Pool& pool) { return pool.name == wanted.pool; });
    CHECK(pool != config.pools.end());
    listening->name = wanted.name;
    listening->pool = wanted.pool;
    listening->policy = std::string(Name(PolicyOf(pool->policy)));
    listening->names = {.listener = listening->name.c_str(),
                        .pool = listening->pool.c_str(),
                        .policy = listening->policy.c_str()};
    listening->pool_index = pool - config.pools.begin();
    listening->settings = {
        .idle_timeout_ms = absl::ToInt64Milliseconds(wanted.idle_timeout),
        .half_close_timeout_ms = absl::ToInt64Milliseconds(wanted.half_close_timeout)};
    for (const std::string& text : wanted.bind) {
      const SocketAddress address = MustParse(text);
      absl::StatusOr<UniqueFd> socket =
          Listen(address, {.backlog = static_cast<int>(wanted.backlog),
                           .dual_stack = !ipv4_ports.contains(address.port()),
                           .keepalive = KeepaliveOf(*pool)});
      if (!socket.ok()) return socket.status();
      listening->addresses.push_back(LocalAddress(socket->get()).ToString());
      listening->sockets.push_back(*std::move(socket));
    }
    listeners_.push_back(std::move(listening));
  }
  return absl::OkStatus();
}

WorkerPlan Server::PlanFor(int worker) {
  WorkerPlan plan;
  plan.index = worker;
  plan.pools = pools_;
  plan.places = &places_;
  plan.events = events_.get();
  plan.access_log = access_log_.get();
  for (auto& listening : listeners_) {
    WorkerPlan::Listen listen{
        .names = &listening->names, .settings = listening->settings, .pool = listening->pool_index};
    for (UniqueFd& socket : listening->sockets) listen.sockets.push_back(socket.Release());
    plan.listeners.push_back(std::move(listen));
  }
  return plan;
}

absl::Status Server::StartWorkers(const Config& config) {
  EngineOptions options;
  options.buffer_bytes = config.buffers.size;
  options.buffer_count = config.buffers.count;
  options.pipe_count = kPipes;
  options.max_fd = static_cast<int>(limits_.open_files);
  absl::StatusOr<std::unique_ptr<WorkerThread>> thread = WorkerThread::Start(options, PlanFor(0));
  if (!thread.ok()) return thread.status();
  workers_.push_back(*std::move(thread));
  return absl::OkStatus();
}

absl::Status Server::ReopenLogs() {
  return access_log_ == nullptr ? absl::OkStatus() : access_log_->Reopen();
}

void Server::StopListening() {
  for (auto& thread : workers_) {
    thread->worker().Post([](Worker& worker) { worker.StopListening(); });
  }
}

void Server::CloseSessions(CloseReason reason) {
  for (auto& thread : workers_) {
    thread->worker().Post([reason](Worker& worker) { worker.CloseSessions(reason); });
  }
}

void Server::Hurry() {
  for (auto& thread : workers_) {
    thread->worker().Post([](Worker& worker) { worker.Hurry(); });
  }
}

bool Server::idle() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& thread) { return thread->worker().idle(); });
}

}  // namespace l4lb

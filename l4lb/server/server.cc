// SPDX-License-Identifier: Apache-2.0
#include "l4lb/server/server.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "glog/logging.h"
#include "l4lb/net/listen.h"
#include "l4lb/server/build_pool.h"
#include "l4lb/server/privileges.h"

namespace l4lb {
namespace {

constexpr int64_t kLogPatienceMs = 2'000;  // For a disk or a pipe that is stuck at the end.
constexpr absl::Duration kQuitLook = absl::Milliseconds(1);
constexpr size_t kPipes = 1024;  // Per worker.

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
  absl::Status status = config.user.empty() ? absl::OkStatus() : ForbidNewPrivileges(config.user);
  if (!status.ok()) return status;
  status = server->OpenLogs(config);
  if (!status.ok()) return status;
  status = server->MakePools(config);
  if (!status.ok()) return status;
  status = server->Bind(config);
  if (!status.ok()) return status;
  // Before any worker is made: capabilities belong to threads, and new ones inherit them.
  if (!config.user.empty()) {
    status = DropPrivileges(config.user);
    if (!status.ok()) return status;
  }
  status = server->StartWorkers(config);
  if (!status.ok()) return status;
  return server;
}

Server::Server(const Config& config)
    : worker_count_(WorkersFor(config.workers)),
      limits_(LimitsFor(config)),
      start_unix_ms_(absl::ToUnixMillis(absl::Now())),
      places_(limits_.max_connections),
      crew_(worker_count_) {}

Server::~Server() {
  StopListening();
  CloseSessions(CloseReason::shutdown);
  Hurry();
  while (!idle()) absl::SleepFor(kQuitLook);
  for (auto& thread : workers_) {
    thread->worker().Post([](Worker& worker) { worker.Quit(); });
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
                 << limits_.wanted_files << " file descriptors, the limit is " << limits_.open_files
                 << ": " << limits_.max_connections
                 << " it is (raise the limit: ulimit -n, LimitNOFILE=)";
  }
  if (config.access_log.path.empty()) return absl::OkStatus();
  AccessLogOptions options;
  options.path = config.access_log.path;
  options.format = config.access_log.format == Config::LogFormat::kJson ? AccessLogFormat::kJson
                                                                        : AccessLogFormat::kText;
  options.workers = worker_count_;
  options.events = events_.get();
  absl::StatusOr<std::unique_ptr<AccessLog>> log = OpenAccessLog(options);
  if (!log.ok()) return log.status();
  access_log_ = *std::move(log);
  return absl::OkStatus();
}

absl::Status Server::MakePools(const Config& config) {
  for (const Config::Pool& pool : config.pools) {
    absl::StatusOr<std::shared_ptr<const PoolSnapshot>> snapshot = BuildPool(pool);
    if (!snapshot.ok()) return snapshot.status();
    const Lookup* lookup = (*snapshot)->lookup.get();
    if (lookup != nullptr && !lookup->warning().empty()) {
      LOG(WARNING) << "pool " << pool.name << ": " << lookup->warning();
    }
    pools_.push_back(*std::move(snapshot));
  }
  return absl::OkStatus();
}

absl::Status Server::Bind(const Config& config) {
  const std::set<uint16_t> ipv4_ports = Ipv4WildcardPorts(config);
  for (const Config::Listener& wanted : config.listeners) {
    auto listening = std::make_unique<Listening>(wanted);
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
      absl::StatusOr<std::vector<UniqueFd>> sockets =
          ListenOnEach(address,
                       {.backlog = static_cast<int>(wanted.backlog),
                        .dual_stack = !ipv4_ports.contains(address.port()),
                        .keepalive = KeepaliveOf(*pool)},
                       worker_count_);
      if (!sockets.ok()) return sockets.status();
      const int first = sockets->front().get();
      listening->addresses.push_back(LocalAddress(first).ToString());
      if (std::optional<SocketFile> file = SocketFileOf(first)) socket_files_.push_back(*file);
      listening->sockets.push_back(*std::move(sockets));
    }
    listeners_.push_back(std::move(listening));
  }
  return absl::OkStatus();
}

// Of an address that has fewer sockets than there are workers (UNIX), the first workers accept.
WorkerPlan Server::PlanFor(int worker) {
  WorkerPlan plan;
  plan.index = worker;
  plan.seed = std::random_device()();
  plan.pools = pools_;
  plan.places = &places_;
  plan.crew = &crew_;
  plan.events = events_.get();
  plan.access_log = access_log_.get();
  for (auto& listening : listeners_) {
    WorkerPlan::Listen listen{.names = &listening->names,
                              .settings = listening->settings,
                              .pool = listening->pool_index,
                              .limits = &listening->limits};
    for (std::vector<UniqueFd>& sockets : listening->sockets) {
      if (static_cast<size_t>(worker) < sockets.size()) {
        listen.sockets.push_back(sockets[worker].Release());
      }
    }
    plan.listeners.push_back(std::move(listen));
  }
  return plan;
}

// All workers are there before the first accepts: it may hand over.
absl::Status Server::StartWorkers(const Config& config) {
  EngineOptions options;
  options.buffer_bytes = config.buffers.size;
  options.buffer_count = config.buffers.count;
  options.pipe_count = kPipes;
  options.max_fd = static_cast<int>(limits_.open_files);
  for (int index = 0; index < worker_count_; ++index) {
    absl::StatusOr<std::unique_ptr<WorkerThread>> thread =
        WorkerThread::Start(options, PlanFor(index));
    if (!thread.ok()) return thread.status();
    crew_.Join(index, (*thread)->worker());
    workers_.push_back(*std::move(thread));
  }
  for (auto& thread : workers_) {
    thread->worker().Post([](Worker& worker) { worker.Open(); });
  }
  return absl::OkStatus();
}

absl::Status Server::ReopenLogs() {
  return access_log_ == nullptr ? absl::OkStatus() : access_log_->Reopen();
}

void Server::StopListening() {
  for (const SocketFile& file : socket_files_) RemoveSocketFile(file);  // Before they are closed.
  socket_files_.clear();
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

// In two passes: once all are closed nothing is handed over any more, and sessions only end.
bool Server::idle() const {
  const auto closed = [](const auto& thread) { return thread->worker().closed(); };
  const auto idle = [](const auto& thread) { return thread->worker().idle(); };
  return std::all_of(workers_.begin(), workers_.end(), closed) &&
         std::all_of(workers_.begin(), workers_.end(), idle);
}

}  // namespace l4lb
